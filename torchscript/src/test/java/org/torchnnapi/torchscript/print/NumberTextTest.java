package org.torchnnapi.torchscript.print;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class NumberTextTest {
    @Test
    void writesSeventeenDigits() {
        assertEquals("3.", NumberText.of(3));
        assertEquals("-0.", NumberText.of(-0.0));
        assertEquals("0.10000000000000001", NumberText.of(0.1));
        assertEquals("1.0000000000000001e-05", NumberText.of(1e-5));
        assertEquals("1e+20", NumberText.of(1e20));
        assertEquals("-inf", NumberText.of(Double.NEGATIVE_INFINITY));
        assertEquals("nan", NumberText.of(Double.NaN));
    }

    @Test
    void wholeNumbersOfAnySizeStayFloats() {
        assertEquals("10000000000.", NumberText.of(1e10));
        assertEquals("12345678901234568.", NumberText.of(12345678901234568d));
    }

    @Test
    void readsBackAsTheSameNumber() {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                assertEquals(value, Double.parseDouble(NumberText.of(value)));
            }
        }
    }
}
