package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Rounding;

/** A resizing of one image, ready to run; units are rows of the output, of one channel block after the other. */
public interface ResizeKernel {
    void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end);

    void run(byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end);
}
