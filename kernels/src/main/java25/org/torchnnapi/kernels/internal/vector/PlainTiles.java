package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

/**
 * The tiles in plain Java, for the first calls, while the compiler is still at work on the vector ones: bit for bit the
 * same results, since both fuse their multiply-adds and sum in the same order. Slower by far once all is compiled,
 * faster by far before.
 */
final class PlainTiles {
    private PlainTiles() {}

    /** As {@link TileKernel#run}, over a scratch row of 2 V sums. */
    static void dense(
            int kind,
            float[] in,
            int base,
            int[] taps,
            float[] w,
            int wFrom,
            float[] bias,
            int biasAt,
            float[] residual,
            int residualAt,
            float[] out,
            int outAt,
            int pixelStep,
            int vectorStep,
            int min,
            int max,
            float[] sums) {
        boolean planar = (kind & TileKernel.PLANAR) != 0;
        int lanes = planar ? 1 : V;
        for (int p = 0; p < TileKernel.HEIGHT; p++) {
            int at = outAt + p * pixelStep;
            System.arraycopy(bias, biasAt, sums, 0, 2 * V);
            if ((kind & TileKernel.ADDING) != 0) {
                for (int i = 0; i < V; i++) {
                    sums[i] += residual[residualAt + p * pixelStep + i];
                    sums[V + i] += residual[residualAt + p * pixelStep + vectorStep + i];
                }
            }
            int wAt = wFrom;
            for (int tap : taps) {
                int source = base + tap + p * lanes;
                int k = 0;
                for (; k <= lanes - 4; k += 4, wAt += 8 * V) {
                    multiplyAddFour(
                            sums, in[source + k], in[source + k + 1], in[source + k + 2], in[source + k + 3], w, wAt);
                }
                for (; k < lanes; k++, wAt += 2 * V) {
                    multiplyAdd(sums, in[source + k], w, wAt);
                }
            }
            if ((kind & TileKernel.POSITIVE) != 0) {
                limit(sums, 2 * V, min, max);
            }
            System.arraycopy(sums, V, out, at + vectorStep, V);
            System.arraycopy(sums, 0, out, at, V);
        }
    }

    /** As {@link DepthwiseKernel#run}, over a scratch row of V sums. */
    static void depthwise(
            int kind,
            float[] in,
            int base,
            int[] taps,
            float[] w,
            int wFrom,
            float[] bias,
            int biasAt,
            float[] out,
            int outAt,
            int min,
            int max,
            float[] sums) {
        int step = (kind & DepthwiseKernel.STRIDE_2) != 0 ? 2 * V : V;
        for (int p = 0; p < DepthwiseTile1.PIXELS; p++) {
            System.arraycopy(bias, biasAt, sums, 0, V);
            for (int t = 0; t < taps.length; t++) {
                int source = base + p * step + taps[t];
                for (int i = 0; i < V; i++) {
                    sums[i] = Math.fma(in[source + i], w[wFrom + t * V + i], sums[i]);
                }
            }
            if ((kind & DepthwiseKernel.POSITIVE) != 0) {
                limit(sums, V, min, max);
            }
            System.arraycopy(sums, 0, out, outAt + p * V, V);
        }
    }

    private static void multiplyAddFour(float[] sums, float x0, float x1, float x2, float x3, float[] w, int wAt) {
        for (int i = 0; i < 2 * V; i++) {
            float one = Math.fma(x1, w[wAt + 2 * V + i], Math.fma(x0, w[wAt + i], sums[i]));
            sums[i] = Math.fma(x3, w[wAt + 6 * V + i], Math.fma(x2, w[wAt + 4 * V + i], one));
        }
    }

    private static void multiplyAdd(float[] sums, float x, float[] w, int wAt) {
        for (int i = 0; i < 2 * V; i++) {
            sums[i] = Math.fma(x, w[wAt + i], sums[i]);
        }
    }

    private static void limit(float[] values, int count, int min, int max) {
        for (int i = 0; i < count; i++) {
            values[i] = Float.intBitsToFloat(Math.min(Math.max(Float.floatToRawIntBits(values[i]), min), max));
        }
    }
}
