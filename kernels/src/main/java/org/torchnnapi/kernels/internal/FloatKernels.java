package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Precision;
import org.torchnnapi.kernels.internal.portable.StagedFloatChain;
import org.torchnnapi.kernels.internal.portable.StagedFloatWidening;
import org.torchnnapi.kernels.internal.portable.StagedScaledConv;
import org.torchnnapi.kernels.internal.portable.StagedWideningMeans;

/** The float kernels of one provider. Callers checked the arguments. */
public interface FloatKernels {
    /** Lanes of the blocked layout that suits this provider. */
    int channelBlock();

    /** Floats of a vector. */
    default int vectorLanes() {
        return 1;
    }

    /** Registers for vectors. */
    default int vectorRegisters() {
        return 16;
    }

    /**
     * Does about that many multiply-adds from registers alone, and returns how many it did; 0 if this provider cannot.
     */
    long exercise(long multiplyAdds);

    FloatConvKernel conv(FloatConvSpec spec);

    /** Bytes of packed weights that plans refer to, each memory once; 0 where plans do not share any. */
    default long sharedBytes() {
        return 0;
    }

    /** Bytes of weights that such a convolution keeps, about. */
    default long packedBytes(ConvShape shape, ImageLayout in, ImageLayout out, Precision precision) {
        return shape.weightCount() * Float.BYTES;
    }

    /** Whether convolutions for which {@link Precision#FLOAT16} is enough are computed with 16-bit floats. */
    default boolean computesHalves() {
        return false;
    }

    GemmKernel gemm(GemmSpec spec);

    /** Whether {@link #chain} is faster than its stages on their own for a chain about this depthwise stage. */
    default boolean fusesChain(ConvShape depthwise, long weights) {
        return false;
    }

    default FloatConvKernel chain(FloatChainSpec spec) {
        return new StagedFloatChain(spec, this);
    }

    /** Whether {@link #widening} is faster than its stages on their own with this as the last one. */
    default boolean fusesWidening(ConvShape last, long weights) {
        return false;
    }

    /**
     * The first stage of a chain or the first two, whose units are ranges of channels.
     *
     * @param halves whether the input is the sum of two images, which lie one behind the other
     * @param squeeze what is left behind the output; null for nothing
     */
    default FloatConvKernel widening(FloatChainSpec spec, boolean halves, FloatWidening.Squeeze squeeze) {
        return new StagedFloatWidening(spec, halves, squeeze, this);
    }

    /**
     * A {@link #widening} by a pointwise convolution, of which nothing is left but the means of the channels, one float
     * each.
     */
    default FloatConvKernel wideningMeans(FloatConvSpec expand, boolean halves) {
        return new StagedWideningMeans(expand.shape(), widening(new FloatChainSpec(expand, null, null), halves, null));
    }

    /** Parts that a {@link #widening} to so many channels leaves of a squeeze. */
    default int wideningParts(int channels) {
        return 1;
    }

    /** Whether {@link #scaledConv} is faster than a convolution of an image that was scaled before. */
    default boolean scalesConv() {
        return false;
    }

    /** A pointwise convolution of one group, from blocked images, whose input channels are scaled first. */
    default ScaledConvKernel scaledConv(FloatConvSpec spec) {
        return new StagedScaledConv(spec, this);
    }
}
