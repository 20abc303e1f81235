package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.ScaledConvKernel;

/** A pointwise convolution of scaled channels, see float_scaled.c; its units are those of the convolution. */
final class NativeScaledConv implements ScaledConvKernel {
    private static final FloatWork SCALE = new FloatWork("float_scale");
    private static final FloatWork CONV = new FloatWork("float_scaled");
    private static final int LANES = NativeFloatConv.LANES;
    private final NativeMemory struct;
    private final int units;
    private final long scratch;

    NativeScaledConv(FloatConvSpec spec) {
        ConvShape shape = spec.shape();
        NativeFloatConv conv = new NativeFloatConv(spec);
        long weights = (long) shape.inC() * ((shape.outC() + LANES - 1) / LANES * LANES);
        long image = ImageLayout.BLOCKED.size(shape.inC(), shape.inH(), shape.inW());
        struct = new FloatScaledStruct()
                .conv(conv.only())
                .ofWeights(weights < image)
                .memory();
        units = conv.units();
        scratch = Math.min(weights, image);
    }

    @Override
    public int units() {
        return units;
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
        SCALE.run(struct, in, inOffset, scales, scalesOffset, out, outOffset, FloatScratch.get(scratch), 0, 1);
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
        CONV.run(struct, in, inOffset, residual, residualOffset, out, outOffset, FloatScratch.get(scratch), begin, end);
    }
}
