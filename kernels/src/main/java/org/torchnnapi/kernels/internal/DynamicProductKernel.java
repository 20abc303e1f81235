package org.torchnnapi.kernels.internal;

/** A dynamically quantized product ready to run. Callers checked the arguments. */
public interface DynamicProductKernel {
    /** Shares of the outputs. */
    int units();

    /** Units [begin, end) of all rows, which are whole groups of four bytes. */
    void run(
            byte[] in,
            int inOffset,
            int rows,
            double scale,
            int zeroPoint,
            float[] out,
            int outOffset,
            int begin,
            int end);
}
