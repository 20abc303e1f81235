package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * The first stages of an inverted residual block over small images: a pointwise convolution that widens and a depthwise one, done
 * together for some channels at a time. Units are ranges of channels in their order, so that threads share nothing but the input. The
 * results are those of the stages one after the other.
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

    /** Whether this machine's kernels are faster so with this as the last stage than stage by stage; it works in any case. */
    public static boolean pays(ConvShape last) {
        return Kernels.floats().fusesWidening(last);
    }

    /**
     * Packs the weights. The output is {@link ImageLayout#BLOCKED}.
     *
     * @param expand pointwise
     * @param depthwise null for none
     * @param halves whether the input is the sum of two images, which lie one behind the other
     * @throws IllegalArgumentException if a stage is of another kind or does not take what the one before gives
     */
    public static FloatWidening plan(FloatChain.Stage expand, FloatChain.Stage depthwise, ImageLayout in, boolean halves) {
        ConvShape first = expand.shape();
        first.requirePointwise("expand");
        FloatConvSpec wide = FloatChain.spec(expand, in, depthwise == null ? ImageLayout.BLOCKED : Kernels.preferredFloatLayout());
        FloatConvSpec inner = null;
        if (depthwise != null) {
            depthwise.shape().requireDepthwise();
            depthwise.shape().requireInputFrom(first);
            inner = FloatChain.spec(depthwise, Kernels.preferredFloatLayout(), ImageLayout.BLOCKED);
        }
        ConvShape last = depthwise == null ? first : depthwise.shape();
        int image = in.size(first.inC(), first.inH(), first.inW());
        return new FloatWidening(halves ? Math.multiplyExact(2, image) : image, ImageLayout.BLOCKED.size(last.outC(), last.outH(), last.outW()),
            Kernels.floats().widening(new FloatChainSpec(wide, inner, null), halves));
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
     * As {@link #run}, of the same image by the thread that did the units before {@code begin} last, and nothing else since: halves that it has
     * added up are not added again.
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
