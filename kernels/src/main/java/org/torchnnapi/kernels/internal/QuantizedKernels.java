package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.portable.StagedChain;

/** The 8-bit kernels of one provider. Callers checked the arguments. */
public interface QuantizedKernels {
    /**
     * Does about that many multiply-adds of bytes from registers alone, and returns how many it did; 0 if this provider
     * cannot.
     */
    long exercise(long multiplyAdds);

    QuantizedConvKernel conv(QuantizedConvSpec spec);

    /**
     * Whether the input's layout makes no difference to a convolution's speed; otherwise channels had better lie
     * together.
     */
    default boolean readsAnyLayout(ConvShape shape) {
        return false;
    }

    /** Whether a {@link #chain} about that depthwise convolution is faster than its stages on their own. */
    default boolean fusesChain(ConvShape depthwise, long weights) {
        return false;
    }

    /**
     * Whether a {@link #chain} of that depthwise convolution and what is before it alone is faster than one with what
     * is behind, and than each on its own.
     */
    default boolean widensByChannels(ConvShape depthwise, long weights) {
        return false;
    }

    default QuantizedChainKernel chain(QuantizedChainSpec spec) {
        return new StagedChain(spec, this);
    }
}
