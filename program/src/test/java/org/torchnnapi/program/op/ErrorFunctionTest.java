package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class ErrorFunctionTest {
    /**
     * {@code 2 / sqrt(pi)} times the sum of {@code 2^n x^(2n+1) / (1 * 3 * .. (2n+1))}, times {@code exp(-x * x)}
     * (Abramowitz and Stegun 7.1.6).
     */
    private static double plain(double x) {
        double term = x;
        double sum = x;
        for (int n = 1; n < 200; n++) {
            term *= 2 * x * x / (2 * n + 1);
            sum += term;
        }
        return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
    }

    private static float[] run(float... in) {
        return (float[]) Ops.run(PointwiseOp.ERF, List.of(ValueType.floats(in.length)), in);
    }

    @Test
    void keepsItsPrecisionEverywhere() {
        float[] in = new float[4001];
        for (int i = 0; i < in.length; i++) {
            in[i] = (i - 2000) / 400f;
        }
        float[] actual = run(in);
        for (int i = 0; i < in.length; i++) {
            double expected = plain(in[i]);
            assertEquals(expected, actual[i], 4e-7 * Math.abs(expected), "of " + in[i]);
        }
        assertEquals(1.128379e-10f, run(1e-10f)[0], 1e-16f);
    }

    @Test
    void endsAtOne() {
        float[] actual = run(Float.NEGATIVE_INFINITY, -50, 50, Float.POSITIVE_INFINITY, Float.NaN, 0);
        float[] expected = {-1, -1, 1, 1, Float.NaN, 0};
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual[i]);
        }
    }
}
