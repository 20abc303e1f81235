package org.torchnnapi.kernels.internal.vector;

import org.torchnnapi.kernels.internal.FloatConvKernel;

/** A convolution over float images, or over byte images that it widens as it reads and narrows as it writes. */
abstract class VectorConvBase implements FloatConvKernel {
    @Override
    public final void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        run(in, inOffset, residual, residualOffset, out, outOffset, null, begin, end);
    }

    final void run(ByteImages images, int begin, int end) {
        run(null, 0, null, 0, null, 0, images, begin, end);
    }

    /** @param images take the place of the float images where they are given */
    abstract void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            ByteImages images,
            int begin,
            int end);
}
