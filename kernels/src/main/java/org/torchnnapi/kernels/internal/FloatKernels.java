package org.torchnnapi.kernels.internal;

/** The float kernels of one provider. Callers checked the arguments. */
public interface FloatKernels {
    /** Lanes of the blocked layout that suits this provider. */
    int channelBlock();

    /** Does about that many multiply-adds from registers alone, and returns how many it did; 0 if this provider cannot. */
    long exercise(long multiplyAdds);

    FloatConvKernel conv(FloatConvSpec spec);

    GemmKernel gemm(GemmSpec spec);
}
