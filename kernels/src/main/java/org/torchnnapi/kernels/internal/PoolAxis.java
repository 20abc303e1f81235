package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.tensor.WindowAxis;

/**
 * The windows of a pooling along one axis, cut to the image: taps of window {@code i} are at {@code first(i)},
 * {@code first(i) + dilation}, .., {@code count(i)} of them.
 *
 * @param adaptive whether they part the image, see {@link Pooling.Window#adaptive}
 * @param counted whether means count the padding
 */
public record PoolAxis(WindowAxis windows, boolean adaptive, boolean counted) {
    public static PoolAxis down(PoolSpec spec) {
        Pooling.Window w = spec.window();
        int dilation = dilation(spec, w.dilationH());
        return of(
                spec, new WindowAxis(w.inH(), w.kernelH(), w.strideH(), dilation, w.padTop(), w.padBottom(), w.outH()));
    }

    public static PoolAxis across(PoolSpec spec) {
        Pooling.Window w = spec.window();
        int dilation = dilation(spec, w.dilationW());
        return of(
                spec, new WindowAxis(w.inW(), w.kernelW(), w.strideW(), dilation, w.padLeft(), w.padRight(), w.outW()));
    }

    private static int dilation(PoolSpec spec, int ofMaxima) {
        return spec.kind() == Pooling.Kind.MAX ? ofMaxima : 1;
    }

    private static PoolAxis of(PoolSpec spec, WindowAxis windows) {
        return new PoolAxis(windows, spec.window().adaptive(), spec.kind() == Pooling.Kind.AVERAGE_WITH_PADDING);
    }

    public int dilation() {
        return windows.dilation();
    }

    public int first(int index) {
        if (adaptive) {
            return WindowAxis.partStart(windows.input(), windows.output(), index);
        }
        int start = windows.start(index);
        return start >= 0 ? start : (int) (start + (dilation() - 1L - start) / dilation() * dilation());
    }

    public int count(int index) {
        int first = first(index);
        long end = adaptive
                ? WindowAxis.partEnd(windows.input(), windows.output(), index)
                : Math.min(windows.start(index) + (long) windows.taps() * dilation(), windows.input());
        return end <= first ? 0 : (int) ((end - 1 - first) / dilation()) + 1;
    }

    /** Elements along the axis that the divisor of a mean counts. */
    public int divisor(int index) {
        if (adaptive || !counted) {
            return count(index);
        }
        int start = windows.start(index);
        return (int) (Math.min((long) start + windows.taps(), windows.input() + windows.after()) - start);
    }
}
