package org.torchnnapi.kernels.internal.portable;

/**
 * Copies of images from one channel block to another, and of matrices to their transposes, in tiles that stay in the
 * first cache.
 */
final class LayoutLoops {
    private static final int TILE = 64;

    private LayoutLoops() {}

    static void convert(
            int channels,
            int pixels,
            int inBlock,
            float[] in,
            int inOffset,
            int outBlock,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        int lanes = (channels + outBlock - 1) / outBlock * outBlock;
        for (int first = begin; first < end; first += TILE) {
            int n = Math.min(TILE, end - first);
            for (int c = 0; c < lanes; c++) {
                int target = outOffset + place(c, first, pixels, outBlock);
                if (c >= channels) {
                    for (int p = 0; p < n; p++) {
                        out[target + p * outBlock] = 0;
                    }
                    continue;
                }
                int source = inOffset + place(c, first, pixels, inBlock);
                for (int p = 0; p < n; p++) {
                    out[target + p * outBlock] = in[source + p * inBlock];
                }
            }
        }
    }

    static void convert(
            int channels,
            int pixels,
            int inBlock,
            byte[] in,
            int inOffset,
            int outBlock,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        int lanes = (channels + outBlock - 1) / outBlock * outBlock;
        for (int first = begin; first < end; first += TILE) {
            int n = Math.min(TILE, end - first);
            for (int c = 0; c < lanes; c++) {
                int target = outOffset + place(c, first, pixels, outBlock);
                int source = inOffset + place(Math.min(c, channels - 1), first, pixels, inBlock);
                int keep = c < channels ? -1 : 0;
                for (int p = 0; p < n; p++) {
                    out[target + p * outBlock] = (byte) (in[source + p * inBlock] & keep);
                }
            }
        }
    }

    private static int place(int channel, int pixel, int pixels, int block) {
        return (channel / block * pixels + pixel) * block + channel % block;
    }

    static void transpose(
            float[] in, int inOffset, int inStep, float[] out, int outOffset, int outStep, int rows, int cols) {
        for (int first = 0; first < rows; first += TILE) {
            int end = Math.min(rows, first + TILE);
            for (int c = 0; c < cols; c++) {
                for (int r = first; r < end; r++) {
                    out[outOffset + c * outStep + r] = in[inOffset + r * inStep + c];
                }
            }
        }
    }

    static void transpose(
            byte[] in, int inOffset, int inStep, byte[] out, int outOffset, int outStep, int rows, int cols) {
        for (int first = 0; first < rows; first += TILE) {
            int end = Math.min(rows, first + TILE);
            for (int c = 0; c < cols; c++) {
                for (int r = first; r < end; r++) {
                    out[outOffset + c * outStep + r] = in[inOffset + r * inStep + c];
                }
            }
        }
    }
}
