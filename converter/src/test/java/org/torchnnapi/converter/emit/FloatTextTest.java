package org.torchnnapi.converter.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FloatTextTest {
    @Test
    void torchScriptHasSeventeenDigits() {
        assertEquals("0.10000000000000001", FloatText.torchScript(0.1));
        assertEquals("2.", FloatText.torchScript(2));
        assertEquals("1.0000000000000001e-05", FloatText.torchScript(1e-5));
    }

    @Test
    void readsBack() {
        Random random = new Random(7);
        for (int i = 0; i < 1000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                assertEquals(value, Double.parseDouble(FloatText.torchScript(value)));
            }
        }
    }
}
