package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayerNormTest {
    private static final float EPSILON = 1e-3f;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 15, 16, 17, 64, 65, 768, 1025, 5000})
    void equalsItsTwin(int count) {
        Random random = new Random(count);
        int rows = 5;
        float[] in = Twins.randomFloats(random, rows * count + 3);
        for (int i = 0; i < in.length; i++) {
            // Far from 0, where a sum of squares less the square of the sum would be lost.
            in[i] += 50;
        }
        float[] scale = Twins.randomFloats(random, count);
        float[] shift = Twins.randomFloats(random, count);
        float[] out = new float[rows * count + 2];
        LayerNorm norm = LayerNorm.plan(count, EPSILON, scale, shift);
        norm.run(in, 3, out, 2, 2, rows);
        norm.run(in, 3, out, 2, 0, 2);
        float[] plain = new float[rows * count];
        LayerNorm.plan(count, EPSILON, null, null).run(in, 3, plain, 0, 0, rows);
        for (int row = 0; row < rows; row++) {
            double[] moments = Twins.moments(in, 3 + row * count, count);
            for (int i = 0; i < count; i++) {
                int at = row * count + i;
                double x = (in[3 + at] - moments[0]) / Math.sqrt(moments[1] + EPSILON);
                assertEquals(x, plain[at], 2e-5, "element " + at);
                assertEquals(x * scale[i] + shift[i], out[2 + at], 2e-5, "element " + at);
            }
        }
    }

    /** What rounding leaves beside the mean would be divided by the root of epsilon. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 17, 65, 300})
    void equalNumbersBecomeTheirShift(int count) {
        float[] in = new float[count];
        Arrays.fill(in, 0.7f);
        float[] scale = new float[count];
        Arrays.fill(scale, 1);
        float[] shift = Twins.randomFloats(new Random(count), count);
        float[] out = new float[count];
        LayerNorm.plan(count, 1e-8f, scale, shift).run(in, 0, out, 0, 0, 1);
        assertArrayEquals(shift, out);
    }

    @ParameterizedTest
    @ValueSource(floats = {0, -1, Float.NaN})
    void epsilonIsPositive(float epsilon) {
        assertThrows(IllegalArgumentException.class, () -> LayerNorm.plan(3, epsilon, null, null));
        assertThrows(IllegalArgumentException.class, () -> LayerNorm.plan(3, EPSILON, new float[2], null));
    }
}
