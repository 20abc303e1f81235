package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;

/** Kernels of one provider over images in channel blocks. Callers checked the arguments. */
public interface ImageKernels {
    /** Units [begin, end) of a float pooling: rows of the output, of one channel block after the other. */
    void pool(Pooling.Window window, Pooling.Kind kind, int block, float[] in, int inOffset, float[] out, int outOffset, int begin,
              int end, Clamp clamp);
}
