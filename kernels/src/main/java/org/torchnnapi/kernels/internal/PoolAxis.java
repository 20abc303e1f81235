package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Pooling;

/**
 * The windows of a pooling along one axis, cut to the image: taps of window {@code i} are at {@code first(i)},
 * {@code first(i) + dilation}, .., {@code count(i)} of them.
 *
 * @param before padding in front of the image, likewise {@code behind}
 * @param adaptive whether they part the image, see {@link Pooling.Window#adaptive}
 * @param counted whether means count the padding
 */
public record PoolAxis(
        int in,
        int out,
        int kernel,
        int stride,
        int dilation,
        int before,
        int behind,
        boolean adaptive,
        boolean counted) {
    public static PoolAxis down(PoolSpec spec) {
        Pooling.Window w = spec.window();
        int dilation = spec.kind() == Pooling.Kind.MAX ? w.dilationH() : 1;
        return new PoolAxis(
                w.inH(),
                w.outH(),
                w.kernelH(),
                w.strideH(),
                dilation,
                w.padTop(),
                w.padBottom(),
                w.adaptive(),
                spec.kind() == Pooling.Kind.AVERAGE_WITH_PADDING);
    }

    public static PoolAxis across(PoolSpec spec) {
        Pooling.Window w = spec.window();
        int dilation = spec.kind() == Pooling.Kind.MAX ? w.dilationW() : 1;
        return new PoolAxis(
                w.inW(),
                w.outW(),
                w.kernelW(),
                w.strideW(),
                dilation,
                w.padLeft(),
                w.padRight(),
                w.adaptive(),
                spec.kind() == Pooling.Kind.AVERAGE_WITH_PADDING);
    }

    public int first(int index) {
        if (adaptive) {
            return (int) ((long) index * in / out);
        }
        int start = start(index);
        return start >= 0 ? start : (int) (start + (dilation - 1L - start) / dilation * dilation);
    }

    public int count(int index) {
        int first = first(index);
        long end = adaptive ? partEnd(index) : Math.min(start(index) + (long) kernel * dilation, in);
        return end <= first ? 0 : (int) ((end - 1 - first) / dilation) + 1;
    }

    /** Elements along the axis that the divisor of a mean counts. */
    public int divisor(int index) {
        if (adaptive || !counted) {
            return count(index);
        }
        return (int) (Math.min((long) start(index) + kernel, in + behind) - start(index));
    }

    private int start(int index) {
        return index * stride - before;
    }

    private long partEnd(int index) {
        return ((index + 1L) * in + out - 1) / out;
    }
}
