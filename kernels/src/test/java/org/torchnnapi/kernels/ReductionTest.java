package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReductionTest {
    @ParameterizedTest
    @EnumSource(Reduction.class)
    void equalsItsTwin(Reduction reduction) {
        Random random = new Random(1);
        for (int axis : new int[] {1, 2, 9, 100}) {
            for (int inner : new int[] {1, 5, 40}) {
                float[] in = Twins.randomFloats(random, 3 * axis * inner);
                float[] out = new float[3 * inner];
                reduction.run(in, 0, out, 0, axis, inner, 0, 3);
                for (int i = 0; i < out.length; i++) {
                    double sum = 0;
                    double product = 1;
                    float max = Float.NEGATIVE_INFINITY;
                    float min = Float.POSITIVE_INFINITY;
                    for (int k = 0; k < axis; k++) {
                        float value = in[(i / inner * axis + k) * inner + i % inner];
                        sum += value;
                        product *= value;
                        max = Math.max(max, value);
                        min = Math.min(min, value);
                    }
                    double expected = switch (reduction) {
                        case SUM -> sum;
                        case MEAN -> sum / axis;
                        case MAX -> max;
                        case MIN -> min;
                        case PROD -> product;
                    };
                    assertEquals(expected, out[i], 1e-5, reduction + " " + axis + " " + inner);
                }
                if (inner > 1) {
                    float[] narrow = new float[inner];
                    reduction.runRows(in, axis * inner, inner, narrow, 0, axis, inner - 1);
                    for (int i = 0; i < inner - 1; i++) {
                        assertEquals(out[inner + i], narrow[i], 1e-6);
                    }
                    assertEquals(0, narrow[inner - 1]);
                }
            }
        }
    }
}
