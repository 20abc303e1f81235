package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.QuantizedSum;

class ByteLanesTest extends VectorTest {
    @BeforeEach
    void needBytes() {
        assumeTrue(ByteLanes.SUPPORTED, "no vectors of " + V + " bytes");
    }

    @Test
    void widensFromAnyPlaceAndStep() {
        byte[] in = bytes(20 * V);
        for (int count : new int[] {0, 1, 3, 8}) {
            for (byte flip : new byte[] {0, (byte) 0x80}) {
                float[] out = new float[9 * V];
                ByteLanes.widen(in, 5, V + 3, flip, -17, out, V / 2, count);
                for (int i = 0; i < count * V; i++) {
                    assertEquals((byte) (in[5 + i / V * (V + 3) + i % V] ^ flip) + 17, out[V / 2 + i]);
                }
                assertEquals(0, out[V / 2 + count * V]);
            }
        }
    }

    @Test
    void sumsFollowTheFixedPointRule() {
        for (boolean signed : new boolean[] {false, true}) {
            int low = signed ? -128 : 0;
            for (float scale : new float[] {1e-3f, 0.03f, 0.5f, 100f}) {
                QuantizedSum rule = QuantizedSum.fixedPoint(
                        0.02f, low + 9, 0.05f, low + 120, false, scale, low + 40, signed, low, low + 250);
                byte[] a = bytes(5 * V + 1);
                byte[] b = bytes(5 * V + 2);
                byte[] out = new byte[5 * V];
                int raised = signed ? 0 : 128 * (rule.multiplierA() + rule.multiplierB());
                ByteLanes.sum(
                        a,
                        1,
                        b,
                        2,
                        out,
                        0,
                        5 * V,
                        (byte) (signed ? 0 : 0x80),
                        rule.multiplierA(),
                        rule.multiplierB(),
                        rule.offset() + raised,
                        rule.shift(),
                        rule.zeroPoint(),
                        rule.min(),
                        rule.max());
                for (int i = 0; i < out.length; i++) {
                    int mask = signed ? -1 : 0xff;
                    assertEquals((byte) rule.apply(a[1 + i] & mask, b[2 + i] & mask), out[i]);
                }
            }
        }
    }

    @Test
    void quantizesHalvesToEvenAndKeepsTheLimits() {
        float[] in = sums(3 * V);
        in[0] = 0.5f;
        in[1] = 1.5f;
        in[2] = -2.5f;
        in[V] = Float.POSITIVE_INFINITY;
        in[V + 1] = Float.NEGATIVE_INFINITY;
        in[V + 2] = -0f;
        in[V + 3] = Float.NaN;
        byte[] out = new byte[3 * V];
        ByteLanes.quantize(in, 0, out, 0, in.length, 1f, Lanes.roundedBits(-10), Lanes.roundedBits(245), 10);
        for (int i = 0; i < in.length; i++) {
            double steps = Double.isNaN(in[i]) ? -10 : Math.min(Math.max(Math.rint(in[i]), -10), 245);
            assertEquals((byte) ((int) steps + 10), out[i], "of " + in[i]);
        }
    }

    @Test
    void windowsAreSummedAndSearched() {
        byte[] in = bytes(40 * V);
        int[] sums = new int[V];
        int[] largest = new int[V];
        for (int[] window : new int[][] {{1, 1}, {3, 2}, {2, 5}}) {
            int[] expectedSums = new int[V];
            int[] expectedLargest = new int[V];
            Arrays.fill(expectedLargest, Integer.MIN_VALUE);
            for (int i = 0; i < window[0] * window[1] * V; i++) {
                int pixel = i / V;
                int value = (byte) (in[4 + pixel / window[1] * 7 * V + pixel % window[1] * (V + 1) + i % V] ^ 0x80);
                expectedSums[i % V] += value;
                expectedLargest[i % V] = Math.max(expectedLargest[i % V], value);
            }
            ByteLanes.sums(in, 4, window[0], 7 * V, window[1], V + 1, (byte) 0x80, sums);
            ByteLanes.largest(in, 4, window[0], 7 * V, window[1], V + 1, (byte) 0x80, largest);
            assertArrayEquals(expectedSums, sums);
            assertArrayEquals(expectedLargest, largest);
        }
    }
}
