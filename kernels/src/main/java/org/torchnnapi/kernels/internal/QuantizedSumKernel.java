package org.torchnnapi.kernels.internal;

/** An element-wise sum of bytes, ready to run; out may be either input. */
public interface QuantizedSumKernel {
    void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count);

    /** Of rows of {@code count} bytes that begin {@code step} apart, in all three alike. */
    default void runRows(
            byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count, int rows, int step) {
        for (int row = 0; row < rows; row++) {
            run(a, aOffset + row * step, b, bOffset + row * step, out, outOffset + row * step, count);
        }
    }
}
