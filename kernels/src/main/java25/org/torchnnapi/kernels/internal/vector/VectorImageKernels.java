package org.torchnnapi.kernels.internal.vector;

import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.portable.PortableImageKernels;

/** The image kernels written with the Vector API; what has none here is the portable one. */
public final class VectorImageKernels extends PortableImageKernels {
    @Override
    public PoolKernel pool(PoolSpec spec) {
        return spec.block() < Lanes.V ? super.pool(spec) : new VectorPool(spec);
    }
}
