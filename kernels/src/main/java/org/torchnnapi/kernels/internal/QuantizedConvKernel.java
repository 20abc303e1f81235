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
    void runAdding(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            QuantizedSum sum,
            byte[] out,
            int outOffset,
            int begin,
            int end);

    /**
     * As {@link #run}, or as {@link #runAdding} where there is a sum, by the thread that did other units of the same
     * image last: what it prepared of the input may be used.
     */
    default void runAgain(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            QuantizedSum sum,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        if (sum == null) {
            run(in, inOffset, out, outOffset, begin, end);
        } else {
            runAdding(in, inOffset, residual, residualOffset, sum, out, outOffset, begin, end);
        }
    }
}
