package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;

/** A widening panel by panel, see float_widening.h; a unit is a panel of channels. */
final class NativeFloatWidening implements FloatConvKernel {
    private static final FloatWork WIDENING = new FloatWork("float_widening");
    private static final int LANES = NativeFloatConv.LANES;
    private static final int STRUCT_SIZE = 32;

    private final NativeMemory struct;
    private final NativeMemory resumed;
    private final int units;
    private final long scratch;

    NativeFloatWidening(FloatChainSpec spec, boolean halves) {
        ConvShape first = spec.expand().shape();
        ImageLayout in = spec.expand().in();
        int block = in.block(first.inC());
        int pixels = first.inH() * first.inW();
        int image = halves ? in.size(first.inC(), first.inH(), first.inW()) : 0;
        NativeFloatConv.Geometry geometry = new NativeFloatConv.Geometry((long) pixels * block, (long) pixels * LANES, (long) pixels * block, 0,
            LANES, 0, 1, pixels, block, LANES);
        NativeMemory[] stages = {NativeFloatConv.struct(spec.expand(), FloatGrid.flat(first), geometry, 1, 1, 1, true, false),
            spec.depthwise() == null ? null : NativeFloatDepthwise.struct(spec.depthwise(), LANES, LANES, spec.depthwise().shape().outH())};
        struct = new NativeStruct(STRUCT_SIZE).pointers(stages).longs(image).ints(0).memory();
        resumed = new NativeStruct(STRUCT_SIZE).pointers(stages).longs(image).ints(1).memory();
        units = (first.outC() + NativeFloatConv.PANEL - 1) / NativeFloatConv.PANEL;
        scratch = image + (spec.depthwise() == null ? 0 : (long) pixels * NativeFloatConv.PANEL);
    }

    static boolean covers(FloatChainSpec spec) {
        ConvShape shape = spec.depthwise() == null ? null : spec.depthwise().shape();
        return shape == null || NativeFloatDepthwise.covers(shape) && shape.inC() == shape.outC();
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    public void run(float[] in, int inOffset, float[] residual, int residualOffset, float[] out, int outOffset, int begin, int end) {
        WIDENING.run(struct, in, inOffset, null, 0, out, outOffset, FloatScratch.get(scratch), begin, end);
    }

    @Override
    public void resume(float[] in, int inOffset, float[] residual, int residualOffset, float[] out, int outOffset, int begin, int end) {
        WIDENING.run(resumed, in, inOffset, null, 0, out, outOffset, FloatScratch.get(scratch), begin, end);
    }
}
