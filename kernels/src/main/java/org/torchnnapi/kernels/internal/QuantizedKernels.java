package org.torchnnapi.kernels.internal;

/** The 8-bit kernels of one provider. Callers checked the arguments. */
public interface QuantizedKernels {
    QuantizedConvKernel conv(QuantizedConvSpec spec);
}
