package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.portable.PortablePool;
import org.torchnnapi.tensor.WindowAxis;

/** Average and maximum pooling of one image, float or quantized. Input and output share one layout. */
public final class Pooling {
    /** What is made of a window. */
    public enum Kind {
        MAX,
        /** The mean of the elements inside the image. */
        AVERAGE,
        /** The mean with the padding (but nothing beyond it, as ceil mode may reach) counted as zeros. */
        AVERAGE_WITH_PADDING
    }

    /**
     * A pooling's geometry. The output's extent is given, since ceil mode makes it more than the padding tells; the
     * last windows may reach past the padding. {@code dilation} applies to {@link Kind#MAX} alone.
     *
     * <p>Along each axis the window is a {@link WindowAxis}, with the bounds of one; of a kernel only what can lie
     * inside the padded image counts.
     *
     * @param adaptive whether the windows part each axis as evenly as whole numbers can, see {@link #adaptive}
     */
    public record Window(
            int channels,
            int inH,
            int inW,
            int outH,
            int outW,
            int kernelH,
            int kernelW,
            int strideH,
            int strideW,
            int dilationH,
            int dilationW,
            int padTop,
            int padLeft,
            int padBottom,
            int padRight,
            boolean adaptive) {
        /** Of a window and of strides, see {@link #isCompact}. */
        private static final int MOST_SPAN = 1 << 20;

        public Window {
            Check.atLeast("channels", channels, 1);
            Check.atLeast("input extent", Math.min(inH, inW), 1);
            Check.atLeast("output extent", Math.min(outH, outW), 1);
            Check.atLeast("kernel", Math.min(kernelH, kernelW), 1);
            WindowAxis down = new WindowAxis(inH, kernelH, strideH, dilationH, padTop, padBottom, outH);
            WindowAxis across = new WindowAxis(inW, kernelW, strideW, dilationW, padLeft, padRight, outW);
            if (!adaptive) {
                touches("height", inH, outH, kernelH, strideH, dilationH, padTop);
                touches("width", inW, outW, kernelW, strideW, dilationW, padLeft);
            }
            strideH = down.stride();
            strideW = across.stride();
            dilationH = down.dilation();
            dilationW = across.dilation();
            kernelH = Math.min(kernelH, down.padded());
            kernelW = Math.min(kernelW, across.padded());
        }

        public Window(
                int channels,
                int inH,
                int inW,
                int outH,
                int outW,
                int kernelH,
                int kernelW,
                int strideH,
                int strideW,
                int dilationH,
                int dilationW,
                int padTop,
                int padLeft,
                int padBottom,
                int padRight) {
            this(
                    channels, inH, inW, outH, outW, kernelH, kernelW, strideH, strideW, dilationH, dilationW, padTop,
                    padLeft, padBottom, padRight, false);
        }

        /**
         * Windows as PyTorch's adaptive pooling has them: along an axis window {@code i} is {@code [floor(i * in /
         * out), ceil((i + 1) * in / out))}. Windows may differ by an element, share one, and be more than there are
         * elements. The kernel's extents are those of the largest.
         */
        public static Window adaptive(int channels, int inH, int inW, int outH, int outW) {
            Check.atLeast("output extent", Math.min(outH, outW), 1);
            int kernelH = largestPart(inH, outH);
            int kernelW = largestPart(inW, outW);
            return new Window(channels, inH, inW, outH, outW, kernelH, kernelW, 1, 1, 1, 1, 0, 0, 0, 0, true);
        }

        private static int largestPart(int in, int out) {
            return in % out == 0 ? in / out : Math.min(in, in / out + 2);
        }

        /** Whether strides, and what a window spans, are so short that kernels may look ahead by several of them. */
        public boolean isCompact() {
            return (kernelH - 1L) * dilationH < MOST_SPAN
                    && (kernelW - 1L) * dilationW < MOST_SPAN
                    && Math.max(strideH, strideW) <= MOST_SPAN
                    && (long) kernelH * kernelW <= MOST_SPAN
                    && Math.max(Math.max(padTop, padBottom), Math.max(padLeft, padRight)) <= MOST_SPAN;
        }

        private static void touches(String name, int in, int out, int kernel, int stride, int dilation, int pad) {
            long lastStart = (long) (out - 1) * stride - pad;
            if (lastStart >= in || (long) (kernel - 1) * dilation - pad < 0) {
                throw new IllegalArgumentException("output " + name + ": " + out
                        + " (expected: every window touches the image of " + in + ", padded by " + pad + ")");
            }
        }
    }

    /** Channels of a unit of bytes where there is a single output pixel. */
    private static final int GROUP = 128;
    /** Bytes that pay for several units. */
    private static final int LEAST_DIVIDED = 1 << 15;

    private final Window window;
    private final ImageLayout layout;
    private final int group;
    private final int inSize;
    private final int outSize;
    private final PoolKernel kernel;

    private Pooling(Kind kind, Window window, ImageLayout layout, Clamp clamp, float factor) {
        this.window = window;
        this.layout = layout;
        inSize = layout.size(window.channels(), window.inH(), window.inW());
        outSize = layout.size(window.channels(), window.outH(), window.outW());
        int block = layout.block(window.channels());
        group = window.outH() == 1 && window.outW() == 1 && inSize >= LEAST_DIVIDED ? Math.min(block, GROUP) : block;
        PoolSpec spec = new PoolSpec(kind, window, block, group, clamp, factor);
        kernel = window.isCompact() ? Kernels.images().pool(spec) : new PortablePool(spec);
    }

    /** Pooling of images in a layout, input and output alike; floats are limited afterwards, bytes by each run. */
    public static Pooling plan(Kind kind, Window window, ImageLayout layout, Clamp clamp) {
        return new Pooling(kind, window, layout, clamp, 0);
    }

    /**
     * Averages of bytes whose sums are multiplied by a factor, in float32 and then rounded to nearest, halves to even,
     * whatever rounding a run names (QNNPACK's averages).
     *
     * @param kind not {@link Kind#MAX}
     */
    public static Pooling planScaled(Kind kind, Window window, ImageLayout layout, float factor) {
        if (kind == Kind.MAX || !(factor > 0) || Float.isInfinite(factor)) {
            throw new IllegalArgumentException(
                    "factor: " + factor + " of " + kind + " (expected: of an average, finite and > 0)");
        }
        return new Pooling(kind, window, layout, Clamp.NONE, factor);
    }

    /** Shares the work can be cut into: rows of the output. */
    public int units() {
        int block = layout.block(window.channels());
        return Math.multiplyExact((window.channels() + block - 1) / block, window.outH());
    }

    /**
     * Shares the work can be cut into where images are bytes: channels of an only output pixel, otherwise rows of the
     * output.
     */
    public int byteUnits() {
        int block = layout.block(window.channels());
        return Math.multiplyExact(units(), (block + group - 1) / group);
    }

    /** Does units [begin, end) of one float image. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end, units());
        kernel.run(in, inOffset, out, outOffset, begin, end);
    }

    /**
     * Does units [begin, end) of the {@link #byteUnits} of one quantized image whose output has the input's scale and
     * zero point.
     *
     * @param rounding for averages of the bytes' values; padding that counts is the zero point
     * @param min limits of the output, its activation; at least -128 (signed) or 0
     */
    public void run(
            byte[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            boolean signed,
            int zeroPoint,
            Rounding rounding,
            int min,
            int max,
            int begin,
            int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end, byteUnits());
        kernel.run(in, inOffset, out, outOffset, signed, 0, zeroPoint, rounding, min, max, begin, end);
    }

    /**
     * The same with averages rounded above the zero point, as the NNAPI reference rounds: halves that go to even go to
     * the even distance from it, which with an odd zero point is another byte than the even one.
     */
    public void runAboveZero(
            byte[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            boolean signed,
            int zeroPoint,
            Rounding rounding,
            int min,
            int max,
            int begin,
            int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end, byteUnits());
        kernel.run(in, inOffset, out, outOffset, signed, zeroPoint, zeroPoint, rounding, min, max, begin, end);
    }

    private void check(int inLength, int inOffset, int outLength, int outOffset, int begin, int end, int units) {
        Check.room("input", inLength, inOffset, inSize);
        Check.room("output", outLength, outOffset, outSize);
        Check.range(begin, end, units);
    }
}
