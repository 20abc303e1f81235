package org.torchnnapi.kernels.internal.vector;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.internal.portable.PortableElementKernels;

/** The element-wise float kernels written with the Vector API; what has none here is the portable one. */
public final class VectorElementKernels extends PortableElementKernels {
    @Override
    public void binary(
            BinaryOp op,
            float[] a,
            int aOffset,
            float[] b,
            int bOffset,
            float[] out,
            int outOffset,
            int count,
            Clamp clamp) {
        VectorElementwise.binary(op, a, aOffset, b, bOffset, out, outOffset, count);
        Lanes.limit(out, outOffset, count, clamp);
    }

    @Override
    public void binaryScalar(
            BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp) {
        VectorElementwise.binaryScalar(op, a, aOffset, b, out, outOffset, count);
        Lanes.limit(out, outOffset, count, clamp);
    }

    @Override
    public void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp) {
        System.arraycopy(in, inOffset, out, outOffset, count);
        Lanes.limit(out, outOffset, count, clamp);
    }
}
