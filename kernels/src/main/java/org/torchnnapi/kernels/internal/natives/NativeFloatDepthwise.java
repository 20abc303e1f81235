package org.torchnnapi.kernels.internal.natives;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * Depthwise convolution, with any number of filters a channel. Blocked images are read and written where they lie,
 * others go through scratch rows; see kernels.table.
 */
final class NativeFloatDepthwise implements FloatConvKernel {
    private static final int LANES = NativeFloatConv.LANES;
    private static final FloatWork DEPTHWISE = new FloatWork("float_depthwise");
    private static final FloatPacking PACK = new FloatPacking("float_depthwise_pack");
    private static final int MOST_KERNEL_ROWS = 32;
    /**
     * Output floats of a unit: a few thousand multiply-adds in vectors, so that calls and ends of bands do not count.
     */
    private static final int BAND_FLOATS = 1 << 13;

    private final NativeMemory struct;
    private final int units;
    private final int scratch;

    NativeFloatDepthwise(FloatConvSpec spec) {
        ConvShape shape = spec.shape();
        int inBlock = spec.in().block(shape.inC());
        int outBlock = spec.out().block(shape.outC());
        int blocks = (shape.outC() + LANES - 1) / LANES;
        int band = Math.max(1, Math.min(BAND_FLOATS / (shape.outW() * LANES), shape.outH()));
        units = Math.multiplyExact(blocks, (shape.outH() + band - 1) / band);
        struct = struct(spec, inBlock, outBlock, band);
        boolean staged = inBlock != LANES || shape.inC() != shape.outC();
        int stagedRows =
                Math.min(shape.inH(), (band - 1) * shape.strideH() + (shape.kernelH() - 1) * shape.dilationH() + 1);
        scratch = Math.addExact(
                outBlock == LANES ? 0 : Math.multiplyExact(shape.outW(), LANES),
                staged ? Math.multiplyExact(stagedRows, Math.multiplyExact(shape.inW(), LANES)) : 0);
    }

    /** The structure for C, with everything packed that it points to. */
    static NativeMemory struct(FloatConvSpec spec, int inBlock, int outBlock, int band) {
        ConvShape shape = spec.shape();
        int padded = (shape.outC() + LANES - 1) / LANES * LANES;
        NativeMemory bias = FloatPacking.padded(spec.bias(), 1, padded);
        FloatDepthwiseStruct struct = new FloatDepthwiseStruct()
                .bias(bias)
                .channels(shape.outC())
                .multiplier(shape.outC() / shape.inC())
                .inH(shape.inH())
                .inW(shape.inW())
                .inBlock(inBlock)
                .outH(shape.outH())
                .outW(shape.outW())
                .outBlock(outBlock)
                .kernelH(shape.kernelH())
                .kernelW(shape.kernelW())
                .strideY(shape.strideH())
                .strideX(shape.strideW())
                .tapY(shape.dilationH())
                .tapX(shape.dilationW())
                .padTop(shape.padTop())
                .padLeft(shape.padLeft())
                .band(band)
                .activation(NativeFloatConv.activation(spec.activation()));
        long taps = (long) shape.kernelH() * shape.kernelW();
        return struct.weights(PackedWeightCache.of(
                        spec.constants(),
                        List.of(PACK, shape.outC(), shape.kernelH(), shape.kernelW()),
                        4L * padded * taps,
                        packed -> PACK.run(
                                struct.weights(null).memory(),
                                spec.weights(),
                                taps,
                                taps,
                                null,
                                spec.bias(),
                                packed,
                                bias)))
                .memory();
    }

    static boolean covers(ConvShape shape) {
        return shape.isDepthwise() && !shape.transposed() && shape.kernelH() <= MOST_KERNEL_ROWS;
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        DEPTHWISE.run(
                struct, in, inOffset, residual, residualOffset, out, outOffset, FloatScratch.get(scratch), begin, end);
    }
}
