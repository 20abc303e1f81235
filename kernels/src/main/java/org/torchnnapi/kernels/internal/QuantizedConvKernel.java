package org.torchnnapi.kernels.internal;

/** A packed quantized convolution of one image, ready to run. Arguments were checked by the public plan. */
public interface QuantizedConvKernel {
    /** How many independent shares the work has. */
    int units();

    void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end);
}
