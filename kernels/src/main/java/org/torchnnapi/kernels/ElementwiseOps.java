package org.torchnnapi.kernels;

import java.util.Arrays;

/** Element-wise kernels over runs of adjacent floats, with a fused activation. In and out may be the same run. */
public final class ElementwiseOps {
    private ElementwiseOps() {}

    /** {@code out[i] = clamp(op(a[i], b[i]))}. */
    public static void binary(
            BinaryOp op,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            int count,
            Clamp clamp) {
        Check.room("a", a.length, aOffset, count);
        Check.room("b", b.length, bOffset, count);
        Check.room("output", out.length, outOffset, count);
        Kernels.elements().binary(op, a, aOffset, b, bOffset, out, outOffset, count, clamp);
    }

    /** {@code out[i] = clamp(op(a[i], b))}. */
    public static void binary(
            BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp) {
        Check.room("a", a.length, aOffset, count);
        Check.room("output", out.length, outOffset, count);
        Kernels.elements().binaryScalar(op, a, aOffset, b, out, outOffset, count, clamp);
    }

    /**
     * {@code out[c, p] = clamp(op(a[c, p], b[c]))}: a value a channel, as in squeeze-and-excitation blocks.
     *
     * @param b one a channel, adjacent
     */
    public static void perChannel(
            BinaryOp op,
            ImageLayout layout,
            int channels,
            int pixels,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            Clamp clamp) {
        int size = layout.size(channels, pixels, 1);
        Check.room("a", a.length, aOffset, size);
        Check.room("b", b.length, bOffset, channels);
        Check.room("output", out.length, outOffset, size);
        int block = layout.block(channels);
        if (block == 1) {
            Kernels.elements().binaryColumn(op, a, aOffset, b, bOffset, out, outOffset, channels, pixels, clamp);
            return;
        }
        int whole = channels / block * block;
        if (whole > 0) {
            Kernels.elements()
                    .binaryRow(op, a, aOffset, b, bOffset, out, outOffset, whole / block, pixels, block, block, clamp);
        }
        if (whole < channels) {
            int left = channels - whole;
            int at = whole * pixels;
            Kernels.elements()
                    .binaryRow(
                            op,
                            a,
                            aOffset + at,
                            b,
                            bOffset + whole,
                            out,
                            outOffset + at,
                            1,
                            pixels,
                            block,
                            left,
                            clamp);
            for (int p = 0; p < pixels; p++, at += block) {
                Arrays.fill(out, outOffset + at + left, outOffset + at + block, 0f);
            }
        }
    }

    /** {@code out[i] = op(in[i])}. */
    public static void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        Kernels.elements().unary(op, in, inOffset, out, outOffset, count);
    }

    /** {@code out[i] = clamp(in[i])}. */
    public static void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, count);
        Kernels.elements().clamp(in, inOffset, out, outOffset, count, clamp);
    }

    /**
     * {@code out[i] = (mask[i] != 0) == where ? value : in[i]}.
     *
     * @param one whether the mask's first byte counts for all
     */
    public static void maskedFill(
            float[] in,
            int inOffset,
            byte[] mask,
            int maskOffset,
            boolean one,
            boolean where,
            float value,
            float[] out,
            int outOffset,
            int count) {
        Check.room("input", in.length, inOffset, count);
        Check.room("mask", mask.length, maskOffset, one ? Math.min(count, 1) : count);
        Check.room("output", out.length, outOffset, count);
        if (!one) {
            Kernels.elements().maskedFill(in, inOffset, mask, maskOffset, where, value, out, outOffset, count);
        } else if (count > 0 && mask[maskOffset] != 0 == where) {
            Arrays.fill(out, outOffset, outOffset + count, value);
        } else {
            System.arraycopy(in, inOffset, out, outOffset, count);
        }
    }
}
