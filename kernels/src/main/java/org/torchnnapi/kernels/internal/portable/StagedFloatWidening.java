package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatKernels;

/**
 * The stages one after the other over whole images, by the convolutions of a provider, of two halves that were added
 * up; one unit.
 */
public final class StagedFloatWidening implements FloatConvKernel {
    private final FloatConvKernel stages;
    private final int half;
    private final FloatWidening.Squeeze squeeze;
    private final float[] weights;
    private final int channels;
    private final int pixels;

    /**
     * @param halves whether the input is two images, one behind the other
     * @param squeeze what is left behind the output; null for nothing
     */
    public StagedFloatWidening(
            FloatChainSpec spec, boolean halves, FloatWidening.Squeeze squeeze, FloatKernels provider) {
        ConvShape shape = spec.expand().shape();
        ConvShape last = spec.depthwise() == null ? shape : spec.depthwise().shape();
        stages = new StagedFloatChain(spec, provider);
        half = halves ? spec.expand().in().size(shape.inC(), shape.inH(), shape.inW()) : 0;
        this.squeeze = squeeze;
        weights = squeeze == null ? null : squeeze.weights().values();
        channels = last.outC();
        pixels = last.outH() * last.outW();
    }

    @Override
    public int units() {
        return stages.units();
    }

    @Override
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        if (half == 0) {
            stages.run(in, inOffset, null, 0, out, outOffset, begin, end);
        } else {
            float[] sum = new float[half];
            for (int i = 0; i < half; i++) {
                sum[i] = in[inOffset + i] + in[inOffset + half + i];
            }
            stages.run(sum, 0, null, 0, out, outOffset, begin, end);
        }
        if (squeeze != null && begin < end) {
            squeeze(out, outOffset);
        }
    }

    private void squeeze(float[] out, int outOffset) {
        float[] means = new float[channels];
        StagedWideningMeans.means(out, outOffset, channels, pixels, means, 0);
        int target = outOffset + ImageLayout.BLOCKED.size(channels, pixels, 1);
        for (int o = 0; o < squeeze.outs(); o++) {
            double sum = 0;
            for (int c = 0; c < channels; c++) {
                sum += means[c] * (double) weights[o * channels + c];
            }
            out[target + o] = (float) sum;
        }
    }
}
