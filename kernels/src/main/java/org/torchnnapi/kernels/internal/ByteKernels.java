package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.QuantizedSum;

/** Element-wise kernels over bytes of one provider. Callers checked the arguments. */
public interface ByteKernels {
    QuantizedSumKernel sum(QuantizedSum rule);
}
