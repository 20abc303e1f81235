package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class PointwiseTest {
    private static boolean same(float expected, float actual) {
        return Float.compare(expected + 0f, actual + 0f) == 0 || Math.abs(expected - actual) <= 1e-6f * Math.abs(expected);
    }

    @Test
    void eluKeepsItsPrecisionNearZero() {
        float[] in = {3, 0, -0f, -1e-30f, -1e-9f, -1e-5f, -0.1f, -1, -20, -200, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
        float[] actual = (float[]) Ops.run(Pointwise.elu(1.7f), List.of(ValueType.floats(in.length)), in);
        for (int i = 0; i < in.length; i++) {
            float expected = in[i] < 0 ? (float) (1.7f * StrictMath.expm1(in[i])) : in[i];
            assertTrue(same(expected, actual[i]), "elu of " + in[i] + ": " + actual[i] + " (expected: " + expected + ")");
        }
    }

    @Test
    void powersOfShapesThatRepeat() {
        Random random = new Random(10);
        float[] exponents = {2, -1, 0.5f};
        float[] bases = (float[]) Ops.random(random, ValueType.floats(40, 3));
        float[] actual = (float[]) Ops.run(new Power(), List.of(ValueType.floats(40, 3), ValueType.floats(3)), bases, exponents);
        for (int i = 0; i < actual.length; i++) {
            float expected = (float) StrictMath.pow(bases[i], exponents[i % 3]);
            assertTrue(same(expected, actual[i]), bases[i] + " to the power of " + exponents[i % 3] + ": " + actual[i] + " (expected: " + expected + ")");
        }
    }
}
