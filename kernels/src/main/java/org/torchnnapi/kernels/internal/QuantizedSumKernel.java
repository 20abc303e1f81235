package org.torchnnapi.kernels.internal;

/** An element-wise sum of bytes, ready to run; out may be either input. */
public interface QuantizedSumKernel {
    void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count);
}
