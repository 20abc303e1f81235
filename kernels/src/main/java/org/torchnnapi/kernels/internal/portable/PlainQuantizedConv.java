package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/** A quantized convolution by {@link PlainTaps}. */
final class PlainQuantizedConv implements QuantizedConvKernel {
    private final QuantizedConvSpec spec;
    private final PlainTaps taps;

    PlainQuantizedConv(QuantizedConvSpec spec) {
        this.spec = spec;
        taps = new PlainTaps(spec.shape(), spec.in(), spec.out());
    }

    @Override
    public int units() {
        return taps.units();
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        runFinishing(in, inOffset, null, 0, null, out, outOffset, begin, end);
    }

    @Override
    public void runFinishing(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        int mask = spec.signedInput() ? -1 : 0xff;
        taps.run(begin, end, new PlainTaps.Sums() {
            private int channel;
            private int total;

            @Override
            public void begin(int of) {
                channel = of;
                total = spec.bias()[of];
            }

            @Override
            public void add(int weight, int at) {
                total += spec.weights().centred(weight, channel) * ((in[inOffset + at] & mask) - spec.inputZeroPoint());
            }

            @Override
            public void end(int at) {
                out[outOffset + at] = (byte) spec.requantization().apply(total, channel);
                if (after != null) {
                    after.finish(residual, residualOffset + at, out, outOffset + at, 1);
                }
            }
        });
    }
}
