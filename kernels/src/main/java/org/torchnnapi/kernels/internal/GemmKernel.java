package org.torchnnapi.kernels.internal;

/** A matrix product ready to run. */
public interface GemmKernel {
    int units();

    void run(float[] a, int aOffset, float[] b, int bOffset, float[] c, int cOffset, int begin, int end);
}
