package org.torchnnapi.kernels;

/** Copies of an image from one layout to another. */
public final class LayoutConversion {
    private LayoutConversion() {}

    /** Copies all of an image of floats; lanes past the last channel become zeros. */
    public static void convert(
            int channels,
            int pixels,
            ImageLayout from,
            float[] in,
            int inOffset,
            ImageLayout to,
            float[] out,
            int outOffset) {
        convert(channels, pixels, from, in, inOffset, to, out, outOffset, 0, pixels);
    }

    /** Copies pixels [first, end) of an image of floats: shares of a conversion are ranges of pixels. */
    public static void convert(
            int channels,
            int pixels,
            ImageLayout from,
            float[] in,
            int inOffset,
            ImageLayout to,
            float[] out,
            int outOffset,
            int first,
            int end) {
        check(channels, pixels, from, in.length, inOffset, to, out.length, outOffset, first, end);
        int inBlock = from.block(channels);
        int outBlock = to.block(channels);
        if (inBlock != outBlock) {
            Kernels.images().convert(channels, pixels, inBlock, in, inOffset, outBlock, out, outOffset, first, end);
        } else {
            copy(channels, pixels, inBlock, in, inOffset, out, outOffset, first, end);
        }
    }

    /** Copies all of an image of bytes; lanes past the last channel become zeros. */
    public static void convert(
            int channels,
            int pixels,
            ImageLayout from,
            byte[] in,
            int inOffset,
            ImageLayout to,
            byte[] out,
            int outOffset) {
        convert(channels, pixels, from, in, inOffset, to, out, outOffset, 0, pixels);
    }

    /** Copies pixels [first, end) of an image of bytes. */
    public static void convert(
            int channels,
            int pixels,
            ImageLayout from,
            byte[] in,
            int inOffset,
            ImageLayout to,
            byte[] out,
            int outOffset,
            int first,
            int end) {
        check(channels, pixels, from, in.length, inOffset, to, out.length, outOffset, first, end);
        int inBlock = from.block(channels);
        int outBlock = to.block(channels);
        if (inBlock != outBlock) {
            Kernels.images().convert(channels, pixels, inBlock, in, inOffset, outBlock, out, outOffset, first, end);
        } else {
            copy(channels, pixels, inBlock, in, inOffset, out, outOffset, first, end);
        }
    }

    /** Pixels of an image that stays in its channel block, from an array to one of the same type. */
    private static void copy(
            int channels,
            int pixels,
            int block,
            Object in,
            int inOffset,
            Object out,
            int outOffset,
            int first,
            int end) {
        for (int c = 0; c < channels; c += block) {
            int at = (c / block * pixels + first) * block;
            System.arraycopy(in, inOffset + at, out, outOffset + at, (end - first) * block);
        }
    }

    private static void check(
            int channels,
            int pixels,
            ImageLayout from,
            int inLength,
            int inOffset,
            ImageLayout to,
            int outLength,
            int outOffset,
            int first,
            int end) {
        Check.atLeast("channels", channels, 1);
        Check.room("input", inLength, inOffset, from.size(channels, pixels, 1));
        Check.room("output", outLength, outOffset, to.size(channels, pixels, 1));
        Check.range(first, end, pixels);
    }
}
