package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;
import org.torchnnapi.kernels.internal.QuantizedKernels;

/** The 8-bit kernels that run on every JVM. */
public final class PortableQuantizedKernels implements QuantizedKernels {
    @Override
    public long exercise(long multiplyAdds) {
        return 0;
    }

    @Override
    public QuantizedConvKernel conv(QuantizedConvSpec spec) {
        return spec.shape().isCompact() ? new PanelQuantizedConv(spec) : new PlainQuantizedConv(spec);
    }
}
