package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.ByteEpilogue;

/** A packed quantized convolution of one image, ready to run. Arguments were checked by the public plan. */
public interface QuantizedConvKernel {
    /** How many independent shares the work has. */
    int units();

    /** Whether units that a thread does one after the other take less than apart. */
    default boolean adjoining() {
        return false;
    }

    void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end);

    /** The same, then what comes after it where these units wrote. */
    void runFinishing(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end);

    /**
     * As {@link #run}, or as {@link #runFinishing} where something comes after it, by the thread that did other units
     * of the same image last: what it prepared of the input may be used.
     */
    default void runAgain(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        if (after == null) {
            run(in, inOffset, out, outOffset, begin, end);
        } else {
            runFinishing(in, inOffset, residual, residualOffset, after, out, outOffset, begin, end);
        }
    }
}
