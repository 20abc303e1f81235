package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FusedActivationTest {
    @Test
    void clampsRealNumbersAndLeavesNanAlone() {
        assertEquals(6f, FusedActivation.RELU6.apply(7));
        assertEquals(-1f, FusedActivation.RELU1.apply(-7));
        assertEquals(-7f, FusedActivation.NONE.apply(-7));
        assertTrue(Float.isNaN(FusedActivation.RELU.apply(Float.NaN)));
    }

    @Test
    void quantizedBoundsFollowScaleAndZeroPoint() {
        assertEquals(10, FusedActivation.RELU6.quantizedLow(0.5f, 10));
        assertEquals(22, FusedActivation.RELU6.quantizedHigh(0.5f, 10));
    }

    @Test
    void unknownCodesHaveNone() {
        assertEquals(null, FusedActivation.ofCode(4));
        assertEquals(null, FusedActivation.ofCode(-1));
    }
}
