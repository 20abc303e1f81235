package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.ByteKernels;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/** The element-wise kernels over bytes that run on every JVM. */
public class PortableByteKernels implements ByteKernels {
    @Override
    public QuantizedSumKernel sum(QuantizedSum rule) {
        return new PortableSum(rule);
    }
}
