package org.torchnnapi.kernels.internal.portable;

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
        return spec.shape().isCompact() ? new PanelConv(spec) : new PlainConv(spec);
    }

    @Override
    public GemmKernel gemm(GemmSpec spec) {
        return new PanelGemm(spec);
    }
}
