package org.torchnnapi.kernels.internal.vector;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;
import org.torchnnapi.kernels.internal.QuantizedKernels;
import org.torchnnapi.kernels.internal.portable.PortableQuantizedKernels;

/** The 8-bit kernels over the vector kernels of floats; what those cannot do exactly is done by the portable ones. */
public final class VectorQuantizedKernels implements QuantizedKernels {
    private final QuantizedKernels others = new PortableQuantizedKernels();

    /** Bytes are multiplied as floats here. */
    @Override
    public long exercise(long multiplyAdds) {
        return PeakLoop.run(multiplyAdds);
    }

    @Override
    public QuantizedConvKernel conv(QuantizedConvSpec spec) {
        return VectorQuantizedConv.covers(spec) ? new VectorQuantizedConv(spec) : others.conv(spec);
    }

    @Override
    public boolean readsAnyLayout(ConvShape shape) {
        return shape.groups() == 1 && VectorConv.isPlanar(shape);
    }

    @Override
    public boolean fusesChain(ConvShape depthwise, long weights) {
        return VectorQuantizedChain.pays(depthwise, weights);
    }

    @Override
    public QuantizedChainKernel chain(QuantizedChainSpec spec) {
        return VectorQuantizedChain.covers(spec) ? new VectorQuantizedChain(spec) : QuantizedKernels.super.chain(spec);
    }
}
