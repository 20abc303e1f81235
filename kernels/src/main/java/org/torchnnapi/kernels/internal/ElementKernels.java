package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;

/** Element-wise float kernels of one provider. Callers checked the arguments; in and out may be the same run. */
public interface ElementKernels {
    void binary(BinaryOp op, float[] a, int aOffset, float[] b, int bOffset, float[] out, int outOffset, int count, Clamp clamp);

    void binaryScalar(BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp);

    void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count);

    void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp);
}
