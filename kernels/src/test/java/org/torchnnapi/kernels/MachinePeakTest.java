package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MachinePeakTest {
    @Test
    void isKnownWhereTheKernelsAreNotPortable() {
        assertEquals(Kernels.describe().get(0).startsWith("float kernels: portable"), Double.isNaN(MachinePeak.floatMultiplyAdds()));
        assertEquals(Kernels.describe().get(1).startsWith("int8 kernels: portable"), Double.isNaN(MachinePeak.byteMultiplyAdds()));
    }
}
