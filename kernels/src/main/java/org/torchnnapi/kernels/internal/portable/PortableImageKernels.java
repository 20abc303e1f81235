package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.internal.ImageKernels;

/** The image kernels that run on every JVM. */
public class PortableImageKernels implements ImageKernels {
    @Override
    public void pool(Pooling.Window window, Pooling.Kind kind, int block, float[] in, int inOffset, float[] out, int outOffset, int begin,
                     int end, Clamp clamp) {
        if (kind == Pooling.Kind.MAX) {
            PoolLoops.max(window, block, in, inOffset, out, outOffset, begin, end, clamp);
        } else {
            PoolLoops.average(window, kind == Pooling.Kind.AVERAGE_WITH_PADDING, block, in, inOffset, out, outOffset, begin, end,
                clamp);
        }
    }
}
