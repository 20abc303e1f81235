package org.torchnnapi.operators.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GammaFunctionsTest {
    /** Of small a it is a times the exponential integral E1(x) (Abramowitz and Stegun, table 5.1). */
    @ParameterizedTest
    @CsvSource({"0.5, 0.559773594776160", "1, 0.219383934395520", "0.01, 4.037929576538114"})
    void theUpperOneOfSmallArgumentsKeepsItsDigits(double x, double integral) {
        for (double a : new double[] {1e-12, 1e-20, 1e-40}) {
            assertEquals(integral, GammaFunctions.incomplete(a, x, true) / a, 1e-9 * integral, a + ", " + x);
        }
        // Where a is not that small both are one together.
        assertEquals(1, GammaFunctions.incomplete(0.2, x, true) + GammaFunctions.incomplete(0.2, x, false), 1e-13);
    }

    /** For a large a it is the normal distribution of x around a, with a's root as the deviation. */
    @Test
    void largeArgumentsHaveTheNormalDistribution() {
        assertEquals(0.5, GammaFunctions.incomplete(1e20, 1e20, false), 1e-9);
        assertEquals(0.5, GammaFunctions.incomplete(3e38, 3e38, true), 1e-9);
        assertEquals(0.8413447460685429, GammaFunctions.incomplete(1e16, 1e16 + 1e8, false), 1e-7);
        assertEquals(0, GammaFunctions.incomplete(1e20, 1e19, false));
        assertEquals(1, GammaFunctions.incomplete(1e20, 1e19, true));
        // Below and above where the expansion begins.
        for (double x : new double[] {99_500, 99_999, 100_300}) {
            double below = GammaFunctions.incomplete(99_999.9999, x, false);
            assertEquals(below, GammaFunctions.incomplete(100_000.0001, x, false), 1e-6);
        }
    }

    /** PyTorch asks for zeros and infinities of the one before it looks at the other. */
    @Test
    void limitsHoldWhateverTheOtherArgumentIs() {
        double nan = Double.NaN;
        double infinity = Double.POSITIVE_INFINITY;
        assertEquals(0, GammaFunctions.incomplete(nan, 0, false));
        assertEquals(1, GammaFunctions.incomplete(nan, infinity, false));
        assertEquals(1, GammaFunctions.incomplete(infinity, nan, true));
        assertEquals(nan, GammaFunctions.incomplete(0, nan, false));
        assertEquals(nan, GammaFunctions.incomplete(infinity, infinity, false));
        assertEquals(nan, GammaFunctions.incomplete(2, nan, false));
        assertEquals(nan, GammaFunctions.incomplete(-1, 2, false));
        assertEquals(1, GammaFunctions.incomplete(0, 2, false));
    }
}
