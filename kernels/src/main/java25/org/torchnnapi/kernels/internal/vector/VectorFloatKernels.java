package org.torchnnapi.kernels.internal.vector;

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
    public int vectorLanes() {
        return Lanes.V;
    }

    @Override
    public int vectorRegisters() {
        return Lanes.MANY_REGISTERS ? 32 : 16;
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
}
