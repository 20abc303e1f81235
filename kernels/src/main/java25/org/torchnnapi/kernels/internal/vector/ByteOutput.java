package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/** How exact sums in floats become the bytes of an output image. */
final class ByteOutput {
    private final Requantization rule;
    private final RuleLanes lanes;
    private final int outC;
    private final int outBlock;
    private final int plane;

    ByteOutput(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        rule = spec.requantization();
        outC = shape.outC();
        lanes = new RuleLanes(rule, outC);
        outBlock = spec.out().block(outC);
        plane = shape.outH() * shape.outW();
    }

    /** Where a channel of a pixel is. */
    int place(int channel, int pixel) {
        int before = channel < outBlock ? 0 : channel / outBlock * outBlock;
        return before * plane + pixel * outBlock + channel - before;
    }

    int outBlock() {
        return outBlock;
    }

    /**
     * Writes V channels, or as many as there are from {@code channel} on, of {@code count} pixels.
     *
     * @param channel a multiple of V
     * @param step floats from one pixel's sums to the next's
     * @param pixelStep pixels of the output from one to the next
     * @param bytes scratch of {@code V * count}
     */
    void narrow(
            float[] sums,
            int from,
            int step,
            int channel,
            byte[] out,
            int outOffset,
            int pixel,
            int pixelStep,
            int count,
            byte[] bytes) {
        int channels = Math.min(V, outC - channel);
        int at = outOffset + place(channel, pixel);
        int outStep = pixelStep * outBlock;
        if (outBlock == 1 || !lanes.isReady()) {
            int laneStep = outBlock == 1 ? plane : 1;
            for (int i = 0; i < count; i++) {
                for (int c = 0; c < channels; c++) {
                    out[at + i * outStep + c * laneStep] =
                            (byte) rule.apply((int) sums[from + i * step + c], channel + c);
                }
            }
            return;
        }
        boolean whole = channels == V;
        if (whole) {
            lanes.narrow(sums, from, step, channel, out, at, outStep, count);
            return;
        }
        lanes.narrow(sums, from, step, channel, bytes, 0, V, count);
        for (int i = 0; i < count; i++) {
            System.arraycopy(bytes, i * V, out, at + i * outStep, channels);
        }
    }
}
