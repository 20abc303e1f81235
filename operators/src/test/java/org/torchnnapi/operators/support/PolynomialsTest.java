package org.torchnnapi.operators.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class PolynomialsTest {
    private static double chebyshev(char kind, double x, double n) {
        return Polynomials.chebyshev(kind, x, n, step -> step);
    }

    @Test
    void chebyshevByHand() {
        double x = 0.3;
        assertEquals(2 * x * x - 1, chebyshev('t', x, 2), 1e-15);
        assertEquals(4 * x * x - 1, chebyshev('u', x, 2), 1e-15);
        assertEquals(4 * x * x - 2 * x - 1, chebyshev('v', x, 2), 1e-15);
        assertEquals(4 * x * x + 2 * x - 1, chebyshev('w', x, 2), 1e-15);
        assertEquals(4 * 2 * 2 * 2 - 3 * 2, chebyshev('t', 2, 3), 0);
    }

    /** The next degree is 2 x times this one less the one before, whichever way they are computed. */
    @Test
    void higherDegreesGoOn() {
        for (char kind : "tuvw".toCharArray()) {
            for (double x : new double[] {-1, -0.99, -0.4, 0, 0.7, 1}) {
                for (int n = 2; n < 40; n++) {
                    double next = 2 * x * chebyshev(kind, x, n) - chebyshev(kind, x, n - 1);
                    assertEquals(next, chebyshev(kind, x, n + 1), 1e-9, kind + " of " + x + ", degree " + (n + 1));
                }
            }
        }
    }

    @Test
    void anyDegreeIsAtAnEndSoon() {
        assertTrue(Math.abs(chebyshev('t', 0.3, 1e18)) <= 1);
        assertEquals(1, chebyshev('t', -1, 1L << 60), 0);
        assertTrue(Double.isNaN(chebyshev('t', 3, 1e18)));
        // No number of 64 bits, which is a degree below 0 in PyTorch.
        for (double none : new double[] {Double.POSITIVE_INFINITY, Double.NaN, 1e19, -3}) {
            assertEquals(0, chebyshev('t', 0.3, none), 0);
            assertEquals(0, Polynomials.legendre(0.3, none), 0);
        }
    }

    @Test
    void longRecurrencesHeedInterrupts() {
        Thread.currentThread().interrupt();
        try {
            assertThrows(CancellationException.class, () -> Polynomials.legendre(0.3, 1e18));
        } finally {
            Thread.interrupted();
        }
    }
}
