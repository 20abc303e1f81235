package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FixedPointTest {
    /** Expected values from gemmlowp's logistic on 16-bit numbers with 12 fractional bits. */
    @ParameterizedTest
    @CsvSource({"1269, 18904", "1270, 18906", "1508, 19370", "-2050, 12363", "20, 16422", "238, 16858", "0, 16384"})
    void sigmoidIsGemmlowps(int x, int expected) {
        assertEquals(expected, FixedPoint.sigmoid(x, 12));
    }

    /** Expected values from gemmlowp's tanh on 16-bit numbers with 12 fractional bits. */
    @ParameterizedTest
    @CsvSource({"-5053, -27640", "-3581, -23048", "2185, 15996", "1432, 11008", "2575, 18252", "0, 0"})
    void tanhIsGemmlowps(int x, int expected) {
        assertEquals(expected, FixedPoint.tanh(x, 12));
    }

    @Test
    void staysCloseToTheRealFunctions() {
        for (int x = Short.MIN_VALUE; x <= Short.MAX_VALUE; x += 7) {
            double real = x / 4096.0;
            assertEquals(1 / (1 + Math.exp(-real)), FixedPoint.sigmoid(x, 12) / 32768.0, 3e-4, "sigmoid of " + real);
            assertEquals(Math.tanh(real), FixedPoint.tanh(x, 12) / 32768.0, 4e-4, "tanh of " + real);
        }
    }

    @Test
    void saturates() {
        assertEquals(Short.MAX_VALUE, FixedPoint.encode(8, 12));
        assertEquals(Short.MIN_VALUE, FixedPoint.encode(-9, 12));
        assertEquals(-3 << 12, FixedPoint.encode(-3, 12));
    }

    @Test
    void roundsTwice() {
        // 5 * 0.09 = 0.45, but with a mantissa of 0.72 and a shift of 3: 3.6 becomes 4, and 4 / 8 becomes 1.
        assertEquals(1, FixedPoint.multiply(5, 0.09));
        // 32256 / sqrt(656) = 1259.39, but 5037.5 becomes 5038, and 5038 / 4 becomes 1260.
        assertEquals(1260, FixedPoint.divideByRoot(32256, 656));
    }
}
