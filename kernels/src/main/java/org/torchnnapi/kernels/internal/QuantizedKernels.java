package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.internal.portable.StagedChain;

/** The 8-bit kernels of one provider. Callers checked the arguments. */
public interface QuantizedKernels {
    /** Does about that many multiply-adds of bytes from registers alone, and returns how many it did; 0 if this provider cannot. */
    long exercise(long multiplyAdds);

    QuantizedConvKernel conv(QuantizedConvSpec spec);

    /** Whether {@link #chain} is faster than its stages on their own, for chains it can fuse at all. */
    default boolean fusesChains() {
        return false;
    }

    default QuantizedChainKernel chain(QuantizedChainSpec spec) {
        return new StagedChain(spec, this);
    }
}
