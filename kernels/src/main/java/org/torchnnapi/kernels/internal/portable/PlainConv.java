package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/** A float convolution by {@link PlainTaps}. */
final class PlainConv implements FloatConvKernel {
    private final FloatConvSpec spec;
    private final PlainTaps taps;

    PlainConv(FloatConvSpec spec) {
        this.spec = spec;
        taps = new PlainTaps(spec.shape(), spec.in(), spec.out());
    }

    @Override
    public int units() {
        return taps.units();
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
        float[] weights = spec.weights();
        taps.run(begin, end, new PlainTaps.Sums() {
            private float sum;

            @Override
            public void begin(int channel) {
                sum = spec.bias()[channel];
            }

            @Override
            public void add(int weight, int at) {
                sum += weights[weight] * in[inOffset + at];
            }

            @Override
            public void end(int at) {
                out[outOffset + at] =
                        spec.activation().apply(residual == null ? sum : sum + residual[residualOffset + at]);
            }
        });
    }
}
