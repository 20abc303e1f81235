package org.torchnnapi.kernels.internal.vector;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.internal.portable.PortableImageKernels;

/** The image kernels written with the Vector API; what has none here is the portable one. */
public final class VectorImageKernels extends PortableImageKernels {
    @Override
    public void pool(Pooling.Window window, Pooling.Kind kind, int block, float[] in, int inOffset, float[] out, int outOffset, int begin,
                     int end, Clamp clamp) {
        if (block < Lanes.V) {
            super.pool(window, kind, block, in, inOffset, out, outOffset, begin, end, clamp);
        } else {
            VectorPool.run(window, kind, block, in, inOffset, out, outOffset, begin, end, clamp);
        }
    }
}
