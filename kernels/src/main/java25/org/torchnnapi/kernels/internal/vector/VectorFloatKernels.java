package org.torchnnapi.kernels.internal.vector;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.portable.PortableFloatKernels;

/** The float kernels written with the Vector API; what has none here is the portable one. */
public final class VectorFloatKernels extends PortableFloatKernels {
    @Override
    public int channelBlock() {
        return Lanes.V;
    }

    @Override
    public long exercise(long multiplyAdds) {
        return PeakLoop.run(multiplyAdds);
    }

    @Override
    public FloatConvKernel conv(FloatConvSpec spec) {
        if (VectorDepthwise.covers(spec.shape())) {
            return new VectorDepthwise(spec);
        }
        return spec.shape().groups() == 1 ? new VectorConv(spec) : super.conv(spec);
    }

    @Override
    public void binary(BinaryOp op, float[] a, int aOffset, float[] b, int bOffset, float[] out, int outOffset, int count,
                       Clamp clamp) {
        VectorElementwise.binary(op, a, aOffset, b, bOffset, out, outOffset, count);
        Lanes.limit(out, outOffset, count, clamp);
    }

    @Override
    public void binaryScalar(BinaryOp op, float[] a, int aOffset, float b, float[] out, int outOffset, int count, Clamp clamp) {
        VectorElementwise.binaryScalar(op, a, aOffset, b, out, outOffset, count);
        Lanes.limit(out, outOffset, count, clamp);
    }

    @Override
    public void clamp(float[] in, int inOffset, float[] out, int outOffset, int count, Clamp clamp) {
        System.arraycopy(in, inOffset, out, outOffset, count);
        Lanes.limit(out, outOffset, count, clamp);
    }

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
