package org.torchnnapi.kernels.internal;

/** The 8-bit kernels of one provider. Callers checked the arguments. */
public interface QuantizedKernels {
    /** Does about that many multiply-adds of bytes from registers alone, and returns how many it did; 0 if this provider cannot. */
    long exercise(long multiplyAdds);

    QuantizedConvKernel conv(QuantizedConvSpec spec);
}
