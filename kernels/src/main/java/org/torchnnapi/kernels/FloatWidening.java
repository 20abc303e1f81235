package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * The first stages of an inverted residual block over small images: a pointwise convolution that widens and a depthwise
 * one, done together for some channels at a time. Units are ranges of channels in their order, so that threads share
 * nothing but the input. The results are those of the stages one after the other.
 */
public final class FloatWidening {
    private final int inSize;
    private final int outSize;
    private final FloatConvKernel kernel;

    private FloatWidening(int inSize, int outSize, FloatConvKernel kernel) {
        this.inSize = inSize;
        this.outSize = outSize;
        this.kernel = kernel;
    }

    /**
     * Whether this machine's kernels are faster so with this as the last stage than stage by stage; it works in any
     * case.
     *
     * @param weights of the pointwise stage, in number
     */
    public static boolean pays(ConvShape last, long weights) {
        return Kernels.floats(last).fusesWidening(last, weights);
    }

    /**
     * The product of the means of an image's channels with a matrix, with which a squeeze-and-excitation block begins
     * (Hu et al., Squeeze-and-Excitation Networks, 2018). It is left behind the image in parts that are still to be
     * added up, one of each share of the channels: so threads need not wait for each other's means. How many parts
     * there are does not depend on how many threads there are.
     *
     * @param outs columns of the matrix
     * @param weights {@code [outs][channels]}
     */
    public record Squeeze(int outs, Weights weights) {
        /** Floats that a matrix of so many columns takes for each part. */
        public static int step(int outs) {
            int line = CacheLines.BYTES / Float.BYTES;
            return (outs + line - 1) / line * line;
        }

        /** Parts of the product with this as the last stage. */
        public static int parts(ConvShape last) {
            return Kernels.floats(last).wideningParts(last.outC());
        }
    }

    /** As {@link #plan(FloatChain.Stage, FloatChain.Stage, ImageLayout, boolean, Squeeze)}, of images alone. */
    public static FloatWidening plan(
            FloatChain.Stage expand, FloatChain.Stage depthwise, ImageLayout in, boolean halves) {
        return plan(expand, depthwise, in, halves, null);
    }

    /**
     * Packs the weights, or finds what was packed of them for another plan. The output is {@link ImageLayout#BLOCKED}.
     *
     * @param expand pointwise
     * @param depthwise null for none
     * @param halves whether the input is the sum of two images, which lie one behind the other
     * @param squeeze what is left behind the image: {@link Squeeze#parts} rows of {@link Squeeze#step} floats; null for
     *     nothing
     * @throws IllegalArgumentException if a stage is of another kind or does not take what the one before gives
     */
    public static FloatWidening plan(
            FloatChain.Stage expand, FloatChain.Stage depthwise, ImageLayout in, boolean halves, Squeeze squeeze) {
        ConvShape first = expand.shape();
        first.requirePointwise("expand");
        FloatConvSpec wide =
                FloatChain.spec(expand, in, depthwise == null ? ImageLayout.BLOCKED : Kernels.preferredFloatLayout());
        FloatConvSpec inner = null;
        if (depthwise != null) {
            depthwise.shape().requireDepthwise();
            depthwise.shape().requireInputFrom(first);
            inner = FloatChain.spec(depthwise, Kernels.preferredFloatLayout(), ImageLayout.BLOCKED);
        }
        ConvShape last = depthwise == null ? first : depthwise.shape();
        int image = in.size(first.inC(), first.inH(), first.inW());
        int outSize = ImageLayout.BLOCKED.size(last.outC(), last.outH(), last.outW());
        if (squeeze != null) {
            Check.length("squeeze", squeeze.weights.length(), (long) squeeze.outs * last.outC());
            outSize = Math.addExact(outSize, Squeeze.parts(last) * Squeeze.step(squeeze.outs));
        }
        return new FloatWidening(
                halves ? Math.multiplyExact(2, image) : image,
                outSize,
                Kernels.floats(last).widening(new FloatChainSpec(wide, inner, null), halves, squeeze));
    }

    /**
     * A pointwise convolution that widens, of which nothing is left but the mean of each channel over the pixels, one
     * float each. Units are as those of {@link #plan(FloatChain.Stage, FloatChain.Stage, ImageLayout, boolean) plan}.
     *
     * @param halves whether the input is the sum of two images, which lie one behind the other
     * @throws IllegalArgumentException if the stage is of another kind
     */
    public static FloatWidening planMeans(FloatChain.Stage expand, ImageLayout in, boolean halves) {
        ConvShape shape = expand.shape();
        shape.requirePointwise("expand");
        int image = in.size(shape.inC(), shape.inH(), shape.inW());
        return new FloatWidening(
                halves ? Math.multiplyExact(2, image) : image,
                shape.outC(),
                Kernels.floats().wideningMeans(FloatChain.spec(expand, in, ImageLayout.BLOCKED), halves));
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /** Does units [begin, end) of one image. The output does not overlap the input. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        check(in, inOffset, out, outOffset, begin, end);
        kernel.run(in, inOffset, null, 0, out, outOffset, begin, end);
    }

    /**
     * As {@link #run}, of the same image by the thread that did the units before {@code begin} last, and nothing else
     * since: halves that it has added up are not added again.
     */
    public void resume(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        check(in, inOffset, out, outOffset, begin, end);
        kernel.resume(in, inOffset, null, 0, out, outOffset, begin, end);
    }

    private void check(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Check.room("input", in.length, inOffset, inSize);
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
    }
}
