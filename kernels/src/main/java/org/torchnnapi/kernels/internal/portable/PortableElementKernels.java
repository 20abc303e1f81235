package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.internal.ElementKernels;

/** The element-wise float kernels that run on every JVM. */
public class PortableElementKernels implements ElementKernels {
    @Override
    public void binary(BinaryOp op, float[] a, int aOffset, float[] b, int bOffset, float[] out, int outOffset, int count,
                       Clamp clamp) {
        Elementwise.binary(op, a, aOffset, b, bOffset, out, outOffset, count);
        Elementwise.limit(out, outOffset, count, clamp);
    }

    @Override
    public void binaryScalar(BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp) {
        Elementwise.binaryScalar(op, a, aOffset, b, out, outOffset, count);
        Elementwise.limit(out, outOffset, count, clamp);
    }

    @Override
    public void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count) {
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = op.apply(in[inOffset + i]);
        }
    }

    @Override
    public void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp) {
        System.arraycopy(in, inOffset, out, outOffset, count);
        Elementwise.limit(out, outOffset, count, clamp);
    }
}
