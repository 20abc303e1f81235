package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SoftmaxKernelTest {
    @Test
    void equalsItsTwin() {
        Random random = new Random(1);
        for (int axis : new int[] {1, 2, 7, 16, 33, 1000}) {
            for (int inner : new int[] {1, 3}) {
                int outer = 4;
                float[] in = Twins.randomFloats(random, outer * axis * inner);
                in[0] = 80;
                float[] out = new float[in.length];
                float[] log = new float[in.length];
                SoftmaxKernel.run(in, 0, out, 0, axis, inner, 1.5f, 2, outer);
                SoftmaxKernel.run(in, 0, out, 0, axis, inner, 1.5f, 0, 2);
                SoftmaxKernel.runLog(in, 0, log, 0, axis, inner, 1.5f, 0, outer);
                for (int o = 0; o < outer; o++) {
                    for (int i = 0; i < inner; i++) {
                        double sum = 0;
                        for (int k = 0; k < axis; k++) {
                            sum += Math.exp(1.5 * in[(o * axis + k) * inner + i]);
                        }
                        for (int k = 0; k < axis; k++) {
                            int at = (o * axis + k) * inner + i;
                            assertEquals(Math.exp(1.5 * in[at]) / sum, out[at], 1e-6);
                            assertEquals(1.5 * in[at] - Math.log(sum), log[at], 1e-4);
                        }
                    }
                }
            }
        }
    }

    @Test
    void farBelowTheLargestIsNothing() {
        float none = Float.NEGATIVE_INFINITY;
        for (int inner : new int[] {1, 2}) {
            float[] in = new float[40 * inner];
            Arrays.fill(in, none);
            for (int i = 0; i < 40 * inner; i += 3) {
                in[i] = -i;
            }
            float[] out = new float[in.length];
            SoftmaxKernel.run(in, 0, out, 0, 40, inner, 1, 0, 1);
            for (int column = 0; column < inner; column++) {
                double sum = 0;
                for (int i = column; i < in.length; i += inner) {
                    sum += Math.exp(in[i]);
                }
                for (int i = column; i < in.length; i += inner) {
                    double expected = Math.exp(in[i]) / sum;
                    // 0 instead of what is no normal float.
                    assertEquals(expected, out[i], 1e-6 * expected + Float.MIN_NORMAL, i + " of " + inner);
                }
            }
        }
    }

    @Test
    void noNumbersSpread() {
        float none = Float.NEGATIVE_INFINITY;
        float infinite = Float.POSITIVE_INFINITY;
        for (float[] in : new float[][] {{none, none, none}, {1, Float.NaN, 2}, {0, infinite, none}}) {
            float[] out = new float[3];
            SoftmaxKernel.run(in, 0, out, 0, 3, 1, 1, 0, 1);
            for (int i = 0; i < 3; i++) {
                assertEquals(Float.NaN, out[i], Arrays.toString(in));
            }
        }
    }
}
