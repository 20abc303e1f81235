package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class PointwiseOpTest {
    private static boolean same(float expected, float actual) {
        return Float.compare(expected + 0f, actual + 0f) == 0
                || Math.abs(expected - actual) <= 1e-6f * Math.abs(expected);
    }

    @Test
    void eluKeepsItsPrecisionNearZero() {
        float[] in = {
            3,
            0,
            -0f,
            -1e-30f,
            -1e-9f,
            -1e-5f,
            -0.1f,
            -1,
            -20,
            -200,
            Float.NaN,
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY
        };
        float[] actual = (float[]) Ops.run(PointwiseOp.elu(1.7f), List.of(ValueType.floats(in.length)), in);
        for (int i = 0; i < in.length; i++) {
            float expected = in[i] < 0 ? (float) (1.7f * StrictMath.expm1(in[i])) : in[i];
            assertTrue(
                    same(expected, actual[i]), "elu of " + in[i] + ": " + actual[i] + " (expected: " + expected + ")");
        }
    }

    @Test
    void eachElement() {
        float[] in = {-2.5f, -2, -0.1f, 0, 0.1f, 2.5f, 1e9f};
        List<ValueType> types = List.of(ValueType.floats(in.length));
        assertArrayEquals(new float[] {-3, -2, -1, 0, 0, 2, 1e9f}, (float[]) Ops.run(PointwiseOp.FLOOR, types, in));
        assertArrayEquals(new float[] {-2, -2, -0f, 0, 0, 2, 1e9f}, (float[]) Ops.run(PointwiseOp.ROUND, types, in));
        float[] sines = (float[]) Ops.run(PointwiseOp.SIN, types, in);
        float[] cosines = (float[]) Ops.run(PointwiseOp.COS, types, in);
        for (int i = 0; i < in.length; i++) {
            assertEquals(StrictMath.sin(in[i]), sines[i], 1e-7);
            assertEquals(StrictMath.cos(in[i]), cosines[i], 1e-7);
        }
    }

    @Test
    void exponentialUnitsWithFactors() {
        float[] in = {2, 0, -1e-7f, -0.5f, -3, -90};
        float[] actual = (float[])
                Ops.run(PointwiseOp.elu("celu", 1.5f, 1.25f, 0.75f), List.of(ValueType.floats(in.length)), in);
        for (int i = 0; i < in.length; i++) {
            float expected = (float) (in[i] < 0 ? 1.25 * 1.5 * StrictMath.expm1(0.75 * in[i]) : 1.25 * in[i]);
            assertTrue(
                    same(expected, actual[i]), "celu of " + in[i] + ": " + actual[i] + " (expected: " + expected + ")");
        }
    }
}
