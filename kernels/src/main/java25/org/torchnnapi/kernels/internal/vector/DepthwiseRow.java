package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/** One output row of a depthwise convolution of one block of channels, from padded rows {@code [row][column][V]}. */
final class DepthwiseRow {
    private final int kind;
    private final int outW;
    private final int strideW;
    private final int min;
    private final int max;

    DepthwiseRow(ConvShape shape, Activation activation) {
        boolean three = shape.kernelH() == 3 && shape.kernelW() == 3 && shape.dilationW() == 1;
        strideW = shape.strideW();
        kind = (three ? DepthwiseKernel.THREE : 0)
                + (strideW == 2 ? DepthwiseKernel.STRIDE_2 : 0)
                + (Lanes.isPositive(activation) ? DepthwiseKernel.POSITIVE : 0);
        min = Lanes.lowerBits(activation.clamp());
        max = Lanes.upperBits(activation.clamp());
        outW = shape.outW();
    }

    /**
     * Where each tap lies from the first.
     *
     * @param rows where each of the rows that the kernel reaches begins
     */
    static int[] taps(ConvShape shape, int[] rows) {
        int[] taps = new int[shape.kernelH() * shape.kernelW()];
        for (int t = 0; t < taps.length; t++) {
            taps[t] = rows[t / shape.kernelW() * shape.dilationH()] + t % shape.kernelW() * shape.dilationW() * V;
        }
        return taps;
    }

    /** Columns of a padded row, with what the last tile of a narrow image reads beyond. */
    static int stagedCols(ConvShape shape) {
        int tiles = Math.max(shape.outW(), DepthwiseTile1.PIXELS);
        return Math.max(
                shape.padLeft() + shape.inW(),
                (tiles - 1) * shape.strideW() + (shape.kernelW() - 1) * shape.dilationW() + 1);
    }

    /** {@code [block][tap][V]}. */
    static float[] packWeights(FloatConvSpec spec) {
        ConvShape shape = spec.shape();
        int taps = shape.kernelH() * shape.kernelW();
        float[] packed = new float[(shape.inC() + V - 1) / V * taps * V];
        for (int c = 0; c < shape.inC(); c++) {
            for (int t = 0; t < taps; t++) {
                packed[(c / V * taps + t) * V + c % V] = spec.weight(c, 0, t);
            }
        }
        return packed;
    }

    /**
     * Writes {@code max(outW, 7)} pixels of one row, limited if the limits are not negative.
     *
     * @param base where {@code taps} are counted from
     */
    void run(float[] in, int base, int[] taps, float[] w, int wAt, float[] bias, int biasAt, float[] out, int outAt) {
        boolean ready = WarmUp.isDepthwiseReady(kind);
        float[] sums = VectorScratch.get().sums;
        for (int x = 0; x < outW; x += DepthwiseTile1.PIXELS) {
            // The last tile moves back to stay inside the row.
            int first = Math.max(0, Math.min(x, outW - DepthwiseTile1.PIXELS));
            int at = base + first * strideW * V;
            if (ready) {
                DepthwiseKernel.run(kind, in, at, taps, w, wAt, bias, biasAt, out, outAt + first * V, min, max);
            } else {
                PlainTiles.depthwise(kind, in, at, taps, w, wAt, bias, biasAt, out, outAt + first * V, min, max, sums);
            }
        }
    }
}
