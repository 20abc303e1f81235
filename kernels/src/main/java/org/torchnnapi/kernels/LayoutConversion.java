package org.torchnnapi.kernels;

/** Copies of an image from one layout to another. */
public final class LayoutConversion {
    /** Pixels copied at a time, so that both sides of the transposition stay in the first cache. */
    private static final int TILE = 64;

    private LayoutConversion() {
    }

    /** Copies all of an image of floats; lanes past the last channel become zeros. */
    public static void convert(int channels, int pixels, ImageLayout from, float[] in, int inOffset, ImageLayout to, float[] out,
                               int outOffset) {
        check(channels, pixels, from, in.length, inOffset, to, out.length, outOffset);
        int inBlock = from.block(channels);
        int outBlock = to.block(channels);
        if (inBlock == outBlock) {
            System.arraycopy(in, inOffset, out, outOffset, from.size(channels, pixels, 1));
            return;
        }
        int lanes = to.size(channels, 1, 1);
        for (int first = 0; first < pixels; first += TILE) {
            int n = Math.min(TILE, pixels - first);
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

    /** Copies all of an image of bytes; lanes past the last channel become zeros. */
    public static void convert(int channels, int pixels, ImageLayout from, byte[] in, int inOffset, ImageLayout to, byte[] out,
                               int outOffset) {
        check(channels, pixels, from, in.length, inOffset, to, out.length, outOffset);
        int inBlock = from.block(channels);
        int outBlock = to.block(channels);
        if (inBlock == outBlock) {
            System.arraycopy(in, inOffset, out, outOffset, from.size(channels, pixels, 1));
            return;
        }
        int lanes = to.size(channels, 1, 1);
        for (int first = 0; first < pixels; first += TILE) {
            int n = Math.min(TILE, pixels - first);
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

    private static void check(int channels, int pixels, ImageLayout from, int inLength, int inOffset, ImageLayout to, int outLength,
                              int outOffset) {
        Check.atLeast("channels", channels, 1);
        Check.room("input", inLength, inOffset, from.size(channels, pixels, 1));
        Check.room("output", outLength, outOffset, to.size(channels, pixels, 1));
    }
}
