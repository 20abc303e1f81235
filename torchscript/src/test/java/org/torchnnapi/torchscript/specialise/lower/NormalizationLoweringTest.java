package org.torchnnapi.torchscript.specialise.lower;

import static org.torchnnapi.torchscript.specialise.Agreement.floats;
import static org.torchnnapi.torchscript.specialise.Agreement.lowered;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class NormalizationLoweringTest {
    private static final String CALL = "torch.batch_norm(x, CONSTANTS.c0, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, False, 0.1, 1e-05, True)";

    private static Object[] statistics() {
        return new Object[] {floats(3), floats(3), floats(3), Tensor.of(new float[] {0.5f, 1, 2}, 3)};
    }

    @Test
    void scalesAndShiftsChannels() {
        lowered(CALL, statistics(), floats(2, 3, 4, 5));
        lowered(CALL, statistics(), floats(6, 3));
        lowered(CALL, statistics(), floats(2, 3, 7));
        lowered(CALL.replace("CONSTANTS.c0, CONSTANTS.c1", "None, None"), statistics(), floats(2, 3, 4, 5));
    }
}
