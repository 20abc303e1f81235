package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class QuantizedAdditionTest {
    @Test
    void equalScalesAddSteps() {
        QuantizedAddition addition = QuantizedAddition.of(0.5, 10, 0.5, 20, 0.5);
        assertEquals(7, addition.steps(12, 25));
        assertEquals(-30, addition.steps(0, 0));
    }

    @Test
    void halvesGoAwayFromZero() {
        QuantizedAddition addition = QuantizedAddition.of(0.5, 0, 0.5, 0, 1);
        assertEquals(2, addition.steps(1, 2));
        assertEquals(-2, addition.steps(-1, -2));
    }

    /**
     * From a MobileNetV2 in PyTorch 1.13: the exact sum is 56.5000017 - 57 steps, which rounds up, and QNNPACK's does
     * not.
     */
    @Test
    void nearTiesFollowTheFixedPoint() {
        double a = 0.09836027771234512;
        double b = 0.09215681999921799;
        double out = 0.12585967779159546;
        QuantizedAddition addition = QuantizedAddition.of(a, 56, b, 71, out);
        boolean differs = false;
        for (int x = 0; x < 256; x++) {
            for (int y = 0; y < 256; y++) {
                double exact = ((x - 56) * a + (y - 71) * b) / out;
                differs |= Math.rint(exact) != addition.steps(x, y);
                assertTrue(Math.abs(exact - addition.steps(x, y)) < 0.5001, x + " " + y);
            }
        }
        assertTrue(differs);
    }

    @Test
    void distantScalesAreNotTaken() {
        assertNull(QuantizedAddition.of(1e-6, 0, 1, 0, 1));
        assertNull(QuantizedAddition.of(1, 0, 1, 0, 1e-3));
    }
}
