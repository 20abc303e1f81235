package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Precision;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.GemmKernel;
import org.torchnnapi.kernels.internal.GemmSpec;
import org.torchnnapi.kernels.internal.ScaledConvKernel;
import org.torchnnapi.kernels.internal.portable.PortableFloatKernels;

/** The float kernels in C; what has none there is the portable one. */
public final class NativeFloatKernels extends PortableFloatKernels {
    /** Linked for benchmarks alone. */
    private static final class Peak {
        private static final NativePeak PEAK = new NativePeak(
                NativeLibrary.floatFunction("float_peak"), NativeLibrary.floatNumber("float_peak_round"));
    }

    @Override
    public String toString() {
        return "native (" + NativeLibrary.floatIsaLabel() + ", C)";
    }

    @Override
    public int channelBlock() {
        return NativeFloatConv.LANES;
    }

    @Override
    public int vectorLanes() {
        return NativeFloatConv.LANES;
    }

    @Override
    public int vectorRegisters() {
        return NativeLibrary.FLOAT_ISA.equals("avx2") || NativeLibrary.FLOAT_ISA.equals("sse41") ? 16 : 32;
    }

    @Override
    public long exercise(long multiplyAdds) {
        return Peak.PEAK.exercise(multiplyAdds);
    }

    @Override
    public FloatConvKernel conv(FloatConvSpec spec) {
        if (NativeFloatDepthwise.covers(spec.shape())) {
            return new NativeFloatDepthwise(spec);
        }
        int tile = NativeFloatWinograd.bestTile(spec.shape(), spec.in(), spec.out());
        if (tile > 0) {
            return new NativeFloatWinograd(spec, tile);
        }
        return new NativeFloatConv(
                spec, halves(spec.shape(), spec.precision()) ? FloatForm.halves() : FloatForm.FLOATS);
    }

    /** Whether such a convolution, which does not take fewer products otherwise, is computed with 16-bit floats. */
    private static boolean halves(ConvShape shape, Precision precision) {
        return NativeLibrary.HALVES && precision == Precision.FLOAT16 && FloatForm.coversHalves(shape);
    }

    @Override
    public boolean computesHalves() {
        return NativeLibrary.HALVES;
    }

    @Override
    public long sharedBytes() {
        return PackedWeightCache.bytes();
    }

    @Override
    public long packedBytes(ConvShape shape, ImageLayout in, ImageLayout out, Precision precision) {
        int tile = NativeFloatWinograd.bestTile(shape, in, out);
        if (tile > 0) {
            return NativeFloatWinograd.packedWeights(shape, tile) * Float.BYTES;
        }
        return shape.weightCount() * (halves(shape, precision) ? Short.BYTES : Float.BYTES);
    }

    @Override
    public GemmKernel gemm(GemmSpec spec) {
        return new NativeGemm(spec);
    }

    @Override
    public boolean fusesChain(ConvShape depthwise, long weights) {
        return NativeFloatChain.pays(depthwise, weights);
    }

    @Override
    public FloatConvKernel chain(FloatChainSpec spec) {
        return NativeFloatChain.covers(spec) ? new NativeFloatChain(spec) : super.chain(spec);
    }

    @Override
    public boolean fusesWidening(ConvShape last, long weights) {
        return !NativeFloatChain.pays(last, weights);
    }

    @Override
    public FloatConvKernel widening(FloatChainSpec spec, boolean halves, FloatWidening.Squeeze squeeze) {
        return NativeFloatWidening.covers(spec)
                ? new NativeFloatWidening(spec, halves, squeeze, false)
                : super.widening(spec, halves, squeeze);
    }

    @Override
    public FloatConvKernel wideningMeans(FloatConvSpec expand, boolean halves) {
        return new NativeFloatWidening(new FloatChainSpec(expand, null, null), halves, null, true);
    }

    @Override
    public int wideningParts(int channels) {
        return NativeFloatWidening.units(channels);
    }

    @Override
    public boolean scalesConv() {
        return true;
    }

    @Override
    public ScaledConvKernel scaledConv(FloatConvSpec spec) {
        return new NativeScaledConv(spec);
    }
}
