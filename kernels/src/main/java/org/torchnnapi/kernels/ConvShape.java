package org.torchnnapi.kernels;

import org.torchnnapi.tensor.WindowAxis;

/**
 * The geometry of a two-dimensional convolution over one image, in elements.
 *
 * <p>Ordinary: {@code out(y, x) = sum in(y * strideH + ky * dilationH - padTop, ...)}. Transposed: input element (y, x)
 * is added to outputs {@code (y * strideH + ky * dilationH - padTop, ...)}; padding then crops the output and
 * {@code outputPadH/W} adds rows and columns at its end.
 *
 * <p>Along each axis the window is a {@link WindowAxis}, with the bounds of one.
 */
public record ConvShape(
        int inC,
        int inH,
        int inW,
        int outC,
        int kernelH,
        int kernelW,
        int strideH,
        int strideW,
        int dilationH,
        int dilationW,
        int padTop,
        int padBottom,
        int padLeft,
        int padRight,
        int groups,
        boolean transposed,
        int outputPadH,
        int outputPadW) {
    /** Pixels of a window with the step to the next one, see {@link #isCompact}. */
    private static final long MOST_WINDOW = 1 << 18;
    /** So many are compact whatever the number of channels. */
    private static final long SMALL_WINDOW = 1 << 6;
    /** The same with all input channels. */
    private static final long MOST_WINDOW_ELEMENTS = 1 << 26;

    private static final int MOST_PADDING = 1 << 16;
    /** Ordinary convolutions that a transposed one falls into. */
    private static final long MOST_PHASES = 1 << 12;

    public ConvShape {
        Check.atLeast("input channels", inC, 1);
        Check.atLeast("input height", inH, 1);
        Check.atLeast("input width", inW, 1);
        Check.atLeast("output channels", outC, 1);
        WindowAxis down = new WindowAxis(inH, kernelH, strideH, dilationH, padTop, padBottom, 0);
        WindowAxis across = new WindowAxis(inW, kernelW, strideW, dilationW, padLeft, padRight, 0);
        strideH = down.stride();
        strideW = across.stride();
        dilationH = down.dilation();
        dilationW = across.dilation();
        Check.atLeast("output padding", Math.min(outputPadH, outputPadW), 0);
        Check.atLeast("groups", groups, 1);
        if (inC % groups != 0 || outC % groups != 0) {
            throw new IllegalArgumentException(
                    "groups: " + groups + " (expected: a divisor of the channels, " + inC + " and " + outC + ")");
        }
        if (!transposed && (outputPadH | outputPadW) != 0) {
            throw new IllegalArgumentException(
                    "output padding: " + Math.max(outputPadH, outputPadW) + " (expected: 0 unless transposed)");
        }
    }

    /** A convolution of stride 1 without dilation, padding or groups; the methods below change that. */
    public static ConvShape of(int inC, int inH, int inW, int outC, int kernelH, int kernelW) {
        return new ConvShape(inC, inH, inW, outC, kernelH, kernelW, 1, 1, 1, 1, 0, 0, 0, 0, 1, false, 0, 0);
    }

    /** With other steps from one window to the next, at least 1. */
    public ConvShape stride(int h, int w) {
        return new ConvShape(
                inC,
                inH,
                inW,
                outC,
                kernelH,
                kernelW,
                h,
                w,
                dilationH,
                dilationW,
                padTop,
                padBottom,
                padLeft,
                padRight,
                groups,
                transposed,
                outputPadH,
                outputPadW);
    }

    /** With other distances between neighbouring taps of the window, at least 1. */
    public ConvShape dilation(int h, int w) {
        return new ConvShape(
                inC,
                inH,
                inW,
                outC,
                kernelH,
                kernelW,
                strideH,
                strideW,
                h,
                w,
                padTop,
                padBottom,
                padLeft,
                padRight,
                groups,
                transposed,
                outputPadH,
                outputPadW);
    }

    /** With zeros around the image: {@code h} rows above and below, {@code w} columns left and right. */
    public ConvShape padding(int h, int w) {
        return padding(h, h, w, w);
    }

    /** With zeros around the image, in rows and columns, at least 0. */
    public ConvShape padding(int top, int bottom, int left, int right) {
        return new ConvShape(
                inC,
                inH,
                inW,
                outC,
                kernelH,
                kernelW,
                strideH,
                strideW,
                dilationH,
                dilationW,
                top,
                bottom,
                left,
                right,
                groups,
                transposed,
                outputPadH,
                outputPadW);
    }

    /**
     * With channels in groups, each convolved with its own.
     *
     * @throws IllegalArgumentException unless it divides both numbers of channels
     */
    public ConvShape groups(int groups) {
        return new ConvShape(
                inC,
                inH,
                inW,
                outC,
                kernelH,
                kernelW,
                strideH,
                strideW,
                dilationH,
                dilationW,
                padTop,
                padBottom,
                padLeft,
                padRight,
                groups,
                transposed,
                outputPadH,
                outputPadW);
    }

    /**
     * With other numbers of channels.
     *
     * @throws IllegalArgumentException unless the groups divide both
     */
    public ConvShape channels(int in, int out, int groups) {
        return new ConvShape(
                in,
                inH,
                inW,
                out,
                kernelH,
                kernelW,
                strideH,
                strideW,
                dilationH,
                dilationW,
                padTop,
                padBottom,
                padLeft,
                padRight,
                groups,
                transposed,
                outputPadH,
                outputPadW);
    }

    /** The transposed convolution with these numbers. */
    public ConvShape transposed(int outputPadH, int outputPadW) {
        return new ConvShape(
                inC,
                inH,
                inW,
                outC,
                kernelH,
                kernelW,
                strideH,
                strideW,
                dilationH,
                dilationW,
                padTop,
                padBottom,
                padLeft,
                padRight,
                groups,
                true,
                outputPadH,
                outputPadW);
    }

    /**
     * That there is an output at all.
     *
     * @throws IllegalArgumentException if the kernel reaches beyond the padded image, or the output beyond 2^31
     *     elements
     */
    void requireOutput() {
        long pixels = (long) outH() * outW();
        if (pixels > Integer.MAX_VALUE / outC) {
            throw new IllegalArgumentException(
                    "output: " + outC + "x" + outH() + "x" + outW() + " (expected: under 2^31 elements)");
        }
    }

    /** The window along the height; a transposed one's slides over the output. Throws as {@link #outH}. */
    public WindowAxis rows() {
        return transposed
                ? WindowAxis.transposed(inH, kernelH, strideH, dilationH, padTop, padBottom, outputPadH)
                : WindowAxis.of(inH, kernelH, strideH, dilationH, padTop, padBottom);
    }

    /** The window along the width; a transposed one's slides over the output. Throws as {@link #outW}. */
    public WindowAxis columns() {
        return transposed
                ? WindowAxis.transposed(inW, kernelW, strideW, dilationW, padLeft, padRight, outputPadW)
                : WindowAxis.of(inW, kernelW, strideW, dilationW, padLeft, padRight);
    }

    /**
     * Whether windows are so near each other, and their taps, that kernels may keep what lies between them: they need
     * not be prepared for others.
     */
    public boolean isCompact() {
        long down = (kernelH - 1L) * dilationH + 1 + strideH;
        long across = (kernelW - 1L) * dilationW + 1 + strideW;
        long window = down > MOST_WINDOW || across > MOST_WINDOW ? Long.MAX_VALUE / inC : down * across;
        return (window <= SMALL_WINDOW || window <= MOST_WINDOW && window * inC <= MOST_WINDOW_ELEMENTS)
                && Math.max(Math.max(padTop, padBottom), Math.max(padLeft, padRight)) <= MOST_PADDING
                && (!transposed
                        || (long) strideH * strideW <= MOST_PHASES && Math.max(outputPadH, outputPadW) <= MOST_PADDING);
    }

    /** That it can narrow or widen inside a chain: a plain matrix product of pixels by channels. */
    void requirePointwise(String stage) {
        if (!isPointwise() || groups != 1 || transposed) {
            throw new IllegalArgumentException(
                    stage + " stage: " + this + " (expected: 1x1, stride 1, one group, no padding)");
        }
    }

    /** That it can be the middle of a chain. */
    void requireDepthwise() {
        if (groups != inC || transposed) {
            throw new IllegalArgumentException(
                    "depthwise stage: " + this + " (expected: as many groups as channels, not transposed)");
        }
    }

    /** That it takes what the stage before gives. */
    void requireInputFrom(ConvShape before) {
        if (before.outC() != inC || before.outH() != inH || before.outW() != inW) {
            throw new IllegalArgumentException(
                    "stage input: " + inC + "x" + inH + "x" + inW + " (expected: the output of the stage before, "
                            + before.outC() + "x" + before.outH() + "x" + before.outW() + ")");
        }
    }

    /** @throws IllegalArgumentException if there is no output, or it is larger than {@link WindowAxis#MAX_EXTENT} */
    public int outH() {
        return transposed
                ? WindowAxis.size(inH, kernelH, strideH, dilationH, padTop, padBottom, outputPadH)
                : WindowAxis.places(inH, kernelH, strideH, dilationH, padTop, padBottom);
    }

    /** @throws IllegalArgumentException if there is no output, or it is larger than {@link WindowAxis#MAX_EXTENT} */
    public int outW() {
        return transposed
                ? WindowAxis.size(inW, kernelW, strideW, dilationW, padLeft, padRight, outputPadW)
                : WindowAxis.places(inW, kernelW, strideW, dilationW, padLeft, padRight);
    }

    /**
     * Elements of the weights, {@code [outC][inC / groups][kernelH][kernelW]} (transposed: {@code [inC][outC /
     * groups]...}).
     */
    public long weightCount() {
        return (long) outC * (inC / groups) * kernelH * kernelW;
    }

    /** Whether every input channel has its own filters and meets no other: {@code groups == inC}. */
    public boolean isDepthwise() {
        return groups == inC && groups > 1;
    }

    /** Whether it is a plain matrix product of pixels by channels. */
    public boolean isPointwise() {
        return kernelH == 1
                && kernelW == 1
                && strideH == 1
                && strideW == 1
                && (padTop | padBottom | padLeft | padRight | outputPadH | outputPadW) == 0;
    }
}
