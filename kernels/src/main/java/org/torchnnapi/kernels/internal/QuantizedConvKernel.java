package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.QuantizedSum;

/** A packed quantized convolution of one image, ready to run. Arguments were checked by the public plan. */
public interface QuantizedConvKernel {
    /** How many independent shares the work has. */
    int units();

    /** Whether units that a thread does one after the other take less than apart. */
    default boolean adjoining() {
        return false;
    }

    void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end);

    /** The same, then {@code out = sum(out, residual)} where these units wrote. */
    void runAdding(byte[] in, int inOffset, byte[] residual, int residualOffset, QuantizedSum sum, byte[] out, int outOffset, int begin,
                   int end);
}
