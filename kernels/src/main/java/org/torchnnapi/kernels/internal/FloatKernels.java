package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.UnaryOp;

/** The float kernels of one provider. Callers checked the arguments. */
public interface FloatKernels {
    /** Lanes of the blocked layout that suits this provider. */
    int channelBlock();

    /** Does about that many multiply-adds from registers alone, and returns how many it did; 0 if this provider cannot. */
    long exercise(long multiplyAdds);

    FloatConvKernel conv(FloatConvSpec spec);

    GemmKernel gemm(GemmSpec spec);

    void binary(BinaryOp op, float[] a, int aOffset, float[] b, int bOffset, float[] out, int outOffset, int count, Clamp clamp);

    void binaryScalar(BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp);

    void unary(UnaryOp op, float[] in, int inOffset, float[] out, int outOffset, int count);

    void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp);

    /** Units [begin, end) of a float pooling: rows of the output, of one channel block after the other. */
    void pool(Pooling.Window window, Pooling.Kind kind, int block, float[] in, int inOffset, float[] out, int outOffset, int begin,
              int end, Clamp clamp);
}
