package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.ScaledConvKernel;

/**
 * A pointwise convolution of one {@link ImageLayout#BLOCKED} image, each channel of which is multiplied by a number
 * before, as squeeze-and-excitation blocks do it. The products never go to memory as an image: where weights are fewer
 * than pixels, it is they that are multiplied.
 */
public final class ScaledConv {
    private final int inSize;
    private final int outSize;
    private final int channels;
    private final ScaledConvKernel kernel;

    private ScaledConv(int inSize, int outSize, int channels, ScaledConvKernel kernel) {
        this.inSize = inSize;
        this.outSize = outSize;
        this.channels = channels;
        this.kernel = kernel;
    }

    /** Whether this machine's kernels are faster so than to multiply the image before; it works in any case. */
    public static boolean pays() {
        return Kernels.floats().scalesConv();
    }

    /**
     * Packs the weights, or finds what was packed of them for another plan.
     *
     * @param shape pointwise, of one group
     * @param weights {@code [outC][inC]}
     * @param bias one an output channel, or null for none
     * @throws IllegalArgumentException if the convolution is of another kind
     */
    public static ScaledConv plan(
            ConvShape shape, ImageLayout out, Weights weights, float[] bias, Activation activation) {
        shape.requirePointwise("scaled");
        FloatConvSpec spec =
                FloatConv.check(shape, ImageLayout.BLOCKED, out, weights, bias, activation, Precision.FLOAT32);
        return new ScaledConv(
                ImageLayout.BLOCKED.size(shape.inC(), shape.inH(), shape.inW()),
                out.size(shape.outC(), shape.outH(), shape.outW()),
                shape.inC(),
                Kernels.floats().scaledConv(spec));
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /**
     * Does units [begin, end) of one image.
     *
     * @param factors one a channel
     * @param residual an image like the output, added before the activation; null for none
     */
    public void run(
            float[] in,
            int inOffset,
            float[] factors,
            int factorsOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("factors", factors.length, factorsOffset, channels);
        check(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
        kernel.run(in, inOffset, factors, factorsOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    /**
     * As {@link #run}, of the same image with the same factors by the thread that did the units before {@code begin}
     * last, and nothing else since: what it multiplied is not multiplied again.
     */
    public void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        check(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
        kernel.resume(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    private void check(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        Check.room("input", in.length, inOffset, inSize);
        if (residual != null) {
            Check.room("residual", residual.length, residualOffset, outSize);
        }
        Check.room("output", out.length, outOffset, outSize);
        Check.range(begin, end, kernel.units());
    }
}
