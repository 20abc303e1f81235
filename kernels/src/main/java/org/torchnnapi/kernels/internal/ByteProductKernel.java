package org.torchnnapi.kernels.internal;

/** Products of bytes, ready to run; out may be {@code a}. */
public interface ByteProductKernel {
    /** As {@link org.torchnnapi.kernels.ByteProduct#run}. */
    void run(
            byte[] a,
            int aOffset,
            byte[] b,
            int bOffset,
            int bStep,
            int bRow,
            byte[] out,
            int outOffset,
            int count,
            int rows);
}
