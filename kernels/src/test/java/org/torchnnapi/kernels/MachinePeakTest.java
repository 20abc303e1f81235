package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MachinePeakTest {
    @Test
    void isKnownWhereTheKernelsAreNotPortable() {
        assertEquals(
                Kernels.describe().get(0).startsWith("float kernels: portable"),
                Double.isNaN(MachinePeak.floatMultiplyAdds()));
        assertEquals(
                Kernels.describe().get(1).startsWith("int8 kernels: portable"),
                Double.isNaN(MachinePeak.byteMultiplyAdds()));
    }

    @Test
    void isKnownOfSeveralThreadsToo() {
        try (KernelPool pool = new KernelPool(2)) {
            assertEquals(
                    Double.isNaN(MachinePeak.floatMultiplyAdds()), Double.isNaN(MachinePeak.floatMultiplyAdds(pool)));
            assertEquals(
                    Double.isNaN(MachinePeak.byteMultiplyAdds()), Double.isNaN(MachinePeak.byteMultiplyAdds(pool)));
            assertTrue(MachinePeak.integerSteps(pool) > 0);
        }
    }
}
