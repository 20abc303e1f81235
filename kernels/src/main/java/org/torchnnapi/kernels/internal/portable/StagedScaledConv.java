package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.FloatKernels;
import org.torchnnapi.kernels.internal.ScaledConvKernel;

/** The channels of the whole image multiplied, then the convolution of a provider. */
public final class StagedScaledConv implements ScaledConvKernel {
    /** One thread's image; it grows to the largest that the thread has multiplied and is kept. */
    private static final ThreadLocal<float[][]> SCALED = ThreadLocal.withInitial(() -> new float[1][0]);

    private final int channels;
    private final int pixels;
    private final FloatConvKernel conv;

    public StagedScaledConv(FloatConvSpec spec, FloatKernels provider) {
        ConvShape shape = spec.shape();
        channels = shape.inC();
        pixels = shape.inH() * shape.inW();
        conv = provider.conv(spec);
    }

    @Override
    public int units() {
        return conv.units();
    }

    @Override
    public void run(
            float[] in,
            int inOffset,
            float[] scales,
            int scalesOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        float[][] scaled = SCALED.get();
        int size = ImageLayout.BLOCKED.size(channels, pixels, 1);
        if (scaled[0].length < size) {
            scaled[0] = new float[size];
        }
        ElementwiseOps.perChannel(
                BinaryOp.MUL,
                ImageLayout.BLOCKED,
                channels,
                pixels,
                in,
                inOffset,
                scales,
                scalesOffset,
                scaled[0],
                0,
                Clamp.NONE);
        resume(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }

    @Override
    public void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        conv.run(SCALED.get()[0], 0, residual, residualOffset, out, outOffset, begin, end);
    }
}
