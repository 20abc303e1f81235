package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.FloatKernels;
import org.torchnnapi.kernels.internal.GemmKernel;
import org.torchnnapi.kernels.internal.GemmSpec;

/** The float kernels that run on every JVM. */
public class PortableFloatKernels implements FloatKernels {
    @Override
    public int channelBlock() {
        return 8;
    }

    @Override
    public long exercise(long multiplyAdds) {
        return 0;
    }

    @Override
    public FloatConvKernel conv(FloatConvSpec spec) {
        return new PanelConv(spec);
    }

    @Override
    public GemmKernel gemm(GemmSpec spec) {
        return new PanelGemm(spec);
    }

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
