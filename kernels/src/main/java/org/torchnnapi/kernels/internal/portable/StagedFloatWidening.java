package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatKernels;

/** The stages one after the other over whole images, by the convolutions of a provider, of two halves that were added up; one unit. */
public final class StagedFloatWidening implements FloatConvKernel {
    private final FloatConvKernel stages;
    private final int half;

    /** @param halves whether the input is two images, one behind the other */
    public StagedFloatWidening(FloatChainSpec spec, boolean halves, FloatKernels provider) {
        ConvShape shape = spec.expand().shape();
        stages = new StagedFloatChain(spec, provider);
        half = halves ? spec.expand().in().size(shape.inC(), shape.inH(), shape.inW()) : 0;
    }

    @Override
    public int units() {
        return stages.units();
    }

    @Override
    public void run(float[] in, int inOffset, float[] residual, int residualOffset, float[] out, int outOffset, int begin, int end) {
        if (half == 0) {
            stages.run(in, inOffset, null, 0, out, outOffset, begin, end);
            return;
        }
        float[] sum = new float[half];
        for (int i = 0; i < half; i++) {
            sum[i] = in[inOffset + i] + in[inOffset + half + i];
        }
        stages.run(sum, 0, null, 0, out, outOffset, begin, end);
    }
}
