package org.torchnnapi.kernels;

/**
 * The geometry of a two-dimensional convolution over one image, in elements.
 *
 * <p>Ordinary: {@code out(y, x) = sum in(y * strideH + ky * dilationH - padTop, ...)}. Transposed: input element (y, x) is
 * added to outputs {@code (y * strideH + ky * dilationH - padTop, ...)}; padding then crops the output and
 * {@code outputPadH/W} adds rows and columns at its end.
 */
public record ConvShape(int inC, int inH, int inW, int outC, int kernelH, int kernelW, int strideH, int strideW,
                        int dilationH, int dilationW, int padTop, int padBottom, int padLeft, int padRight, int groups,
                        boolean transposed, int outputPadH, int outputPadW) {

    public ConvShape {
        Check.atLeast("input channels", inC, 1);
        Check.atLeast("input height", inH, 1);
        Check.atLeast("input width", inW, 1);
        Check.atLeast("output channels", outC, 1);
        Check.atLeast("kernel height", kernelH, 1);
        Check.atLeast("kernel width", kernelW, 1);
        Check.atLeast("stride", Math.min(strideH, strideW), 1);
        Check.atLeast("dilation", Math.min(dilationH, dilationW), 1);
        Check.atLeast("padding", Math.min(Math.min(padTop, padBottom), Math.min(padLeft, padRight)), 0);
        Check.atLeast("output padding", Math.min(outputPadH, outputPadW), 0);
        Check.atLeast("groups", groups, 1);
        if (inC % groups != 0 || outC % groups != 0) {
            throw new IllegalArgumentException("groups: " + groups + " (expected: a divisor of the channels, " + inC + " and "
                + outC + ")");
        }
        if (!transposed && (outputPadH | outputPadW) != 0) {
            throw new IllegalArgumentException("output padding: " + Math.max(outputPadH, outputPadW)
                + " (expected: 0 unless transposed)");
        }
    }

    /** A convolution of stride 1 without dilation, padding or groups; the methods below change that. */
    public static ConvShape of(int inC, int inH, int inW, int outC, int kernelH, int kernelW) {
        return new ConvShape(inC, inH, inW, outC, kernelH, kernelW, 1, 1, 1, 1, 0, 0, 0, 0, 1, false, 0, 0);
    }

    /** With other steps from one window to the next, at least 1. */
    public ConvShape stride(int h, int w) {
        return new ConvShape(inC, inH, inW, outC, kernelH, kernelW, h, w, dilationH, dilationW, padTop, padBottom, padLeft,
            padRight, groups, transposed, outputPadH, outputPadW);
    }

    /** With other distances between neighbouring taps of the window, at least 1. */
    public ConvShape dilation(int h, int w) {
        return new ConvShape(inC, inH, inW, outC, kernelH, kernelW, strideH, strideW, h, w, padTop, padBottom, padLeft,
            padRight, groups, transposed, outputPadH, outputPadW);
    }

    /** With zeros around the image: {@code h} rows above and below, {@code w} columns left and right. */
    public ConvShape padding(int h, int w) {
        return padding(h, h, w, w);
    }

    /** With zeros around the image, in rows and columns, at least 0. */
    public ConvShape padding(int top, int bottom, int left, int right) {
        return new ConvShape(inC, inH, inW, outC, kernelH, kernelW, strideH, strideW, dilationH, dilationW, top, bottom, left,
            right, groups, transposed, outputPadH, outputPadW);
    }

    /**
     * With channels in groups, each convolved with its own.
     *
     * @throws IllegalArgumentException unless it divides both numbers of channels
     */
    public ConvShape groups(int groups) {
        return new ConvShape(inC, inH, inW, outC, kernelH, kernelW, strideH, strideW, dilationH, dilationW, padTop, padBottom,
            padLeft, padRight, groups, transposed, outputPadH, outputPadW);
    }

    /**
     * With other numbers of channels.
     *
     * @throws IllegalArgumentException unless the groups divide both
     */
    public ConvShape channels(int in, int out, int groups) {
        return new ConvShape(in, inH, inW, out, kernelH, kernelW, strideH, strideW, dilationH, dilationW, padTop, padBottom, padLeft,
            padRight, groups, transposed, outputPadH, outputPadW);
    }

    /** The transposed convolution with these numbers. */
    public ConvShape transposed(int outputPadH, int outputPadW) {
        return new ConvShape(inC, inH, inW, outC, kernelH, kernelW, strideH, strideW, dilationH, dilationW, padTop, padBottom,
            padLeft, padRight, groups, true, outputPadH, outputPadW);
    }

    /**
     * That there is an output at all.
     *
     * @throws IllegalArgumentException if the kernel reaches beyond the padded image, or the output beyond 2^31 elements
     */
    void requireOutput() {
        long outH = extent(inH, kernelH, strideH, dilationH, (long) padTop + padBottom, transposed, outputPadH);
        long outW = extent(inW, kernelW, strideW, dilationW, (long) padLeft + padRight, transposed, outputPadW);
        if (outH < 1 || outW < 1 || outH > Integer.MAX_VALUE || outW > Integer.MAX_VALUE || outH * outW > Integer.MAX_VALUE / outC) {
            throw new IllegalArgumentException("output: " + outC + "x" + outH + "x" + outW
                + " (expected: dimensions >= 1 and under 2^31 elements)");
        }
    }

    /** That it can narrow or widen inside a chain: a plain matrix product of pixels by channels. */
    void requirePointwise(String stage) {
        if (!isPointwise() || groups != 1 || transposed) {
            throw new IllegalArgumentException(stage + " stage: " + this + " (expected: 1x1, stride 1, one group, no padding)");
        }
    }

    /** That it can be the middle of a chain. */
    void requireDepthwise() {
        if (groups != inC || transposed) {
            throw new IllegalArgumentException("depthwise stage: " + this + " (expected: as many groups as channels, not transposed)");
        }
    }

    /** That it takes what the stage before gives. */
    void requireInputFrom(ConvShape before) {
        if (before.outC() != inC || before.outH() != inH || before.outW() != inW) {
            throw new IllegalArgumentException("stage input: " + inC + "x" + inH + "x" + inW
                + " (expected: the output of the stage before, " + before.outC() + "x" + before.outH() + "x" + before.outW() + ")");
        }
    }

    public int outH() {
        return (int) extent(inH, kernelH, strideH, dilationH, (long) padTop + padBottom, transposed, outputPadH);
    }

    public int outW() {
        return (int) extent(inW, kernelW, strideW, dilationW, (long) padLeft + padRight, transposed, outputPadW);
    }

    /** Elements of the weights, {@code [outC][inC / groups][kernelH][kernelW]} (transposed: {@code [inC][outC / groups]...}). */
    public long weightCount() {
        return (long) outC * (inC / groups) * kernelH * kernelW;
    }

    /** Whether every input channel has its own filters and meets no other: {@code groups == inC}. */
    public boolean isDepthwise() {
        return groups == inC && groups > 1;
    }

    /** Whether it is a plain matrix product of pixels by channels. */
    public boolean isPointwise() {
        return kernelH == 1 && kernelW == 1 && strideH == 1 && strideW == 1
            && (padTop | padBottom | padLeft | padRight | outputPadH | outputPadW) == 0;
    }

    private static long extent(long in, long kernel, long stride, long dilation, long padding, boolean transposed, long extra) {
        long reach = (kernel - 1) * dilation + 1;
        return transposed ? (in - 1) * stride + reach - padding + extra
            : in + padding < reach ? 0 : (in + padding - reach) / stride + 1;
    }
}
