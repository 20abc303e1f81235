package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReductionKernelTest {
    /** Some numbers whose sums are rounded. */
    private static float[] series(int count) {
        float[] x = new float[count];
        for (int i = 0; i < count; i++) {
            x[i] = (float) ((long) i * 7919 % 1009) / 1009 - 0.25f;
        }
        return x;
    }

    /** Expected sums are genuine PyTorch's, of {@code (torch.arange(n) * 7919 % 1009).float() / 1009 - 0.25}. */
    @Test
    void sumsHavePyTorchsRoundings() {
        int[] counts = {5, 100, 1000, 70001};
        float[] sums = {1.23364711f, 25.4053516f, 250.176422f, 17466.4922f};
        float[] means = {0.246729419f, 0.254053503f, 0.25017643f, 0.249517754f};
        float[] out = new float[45];
        for (int i = 0; i < counts.length; i++) {
            ReductionKernel.SUM.run(series(counts[i]), 0, out, 0, counts[i], 1, 0, 1);
            assertEquals(sums[i], out[0], counts[i] + " elements");
            ReductionKernel.MEAN.run(series(counts[i]), 0, out, 0, counts[i], 1, 0, 1);
            assertEquals(means[i], out[0], counts[i] + " elements");
        }
        int[][] extents = {{700, 45}, {701, 6}, {5000, 33}};
        float[][] columns = {
            {180.266602f, 176.083252f, 169.899902f},
            {175.450699f, 176.561691f, 173.969025f},
            {1265.89697f, 1240.07434f, 1259.25171f}
        };
        for (int i = 0; i < extents.length; i++) {
            int inner = extents[i][1];
            ReductionKernel.SUM.run(series(extents[i][0] * inner), 0, out, 0, extents[i][0], inner, 0, 1);
            assertArrayEquals(columns[i], new float[] {out[0], out[inner / 2], out[inner - 1]}, inner + " columns");
        }
    }

    @ParameterizedTest
    @EnumSource(ReductionKernel.class)
    void equalsItsTwin(ReductionKernel reduction) {
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
