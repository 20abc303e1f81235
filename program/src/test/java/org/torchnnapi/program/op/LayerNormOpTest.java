package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.program.ValueType;

class LayerNormOpTest {
    private static final float EPSILON = 1e-3f;

    /** Runs of {@code count} numbers, each less its mean, by the root of its variance and epsilon. */
    static float[] normalized(float[] in, int count, float epsilon) {
        float[] out = new float[in.length];
        for (int from = 0; from < in.length; from += count) {
            double mean = 0;
            double squares = 0;
            for (int i = from; i < from + count; i++) {
                mean += (double) in[i] / count;
            }
            for (int i = from; i < from + count; i++) {
                squares += (in[i] - mean) * (in[i] - mean);
            }
            for (int i = from; i < from + count; i++) {
                out[i] = (float) ((in[i] - mean) / Math.sqrt(squares / count + epsilon));
            }
        }
        return out;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 17", "5, 64", "130, 100"})
    void runsHaveMeanZeroAndVarianceOne(int rows, int count) {
        Random random = new Random(count);
        ValueType type = ValueType.floats(rows, count);
        float[] in = (float[]) Ops.random(random, type);
        float[] scale = (float[]) Ops.random(random, ValueType.floats(count));
        float[] shift = (float[]) Ops.random(random, ValueType.floats(count));
        float[] expected = normalized(in, count, EPSILON);
        float[] scaled = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            scaled[i] = expected[i] * scale[i % count] + shift[i % count];
        }
        Ops.assertNear(
                expected, (float[]) Ops.run(new LayerNormOp(count, EPSILON, null, null), List.of(type), in), "plain");
        Ops.assertNear(
                scaled, (float[]) Ops.run(new LayerNormOp(count, EPSILON, scale, shift), List.of(type), in), "scaled");
    }

    @Test
    void countsTheElementsOfLastAxes() {
        ValueType type = ValueType.floats(2, 3, 4);
        float[] in = (float[]) Ops.random(new Random(1), type);
        Ops.assertNear(
                normalized(in, 12, EPSILON),
                (float[]) Ops.run(new LayerNormOp(12, EPSILON, null, null), List.of(type), in),
                "two axes");
        assertThrows(
                IllegalArgumentException.class, () -> new LayerNormOp(6, EPSILON, null, null).result(List.of(type)));
    }
}
