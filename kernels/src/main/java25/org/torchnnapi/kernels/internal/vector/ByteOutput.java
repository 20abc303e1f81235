package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/** How exact sums in floats become the bytes of an output image. */
final class ByteOutput {
    /** Products of sums within 2^24 and larger scales, or shifts to the left, are left to the plain rule. */
    private static final float LARGEST_SCALE = 1 << 20;

    private final Requantization rule;
    private final int outC;
    private final int outBlock;
    private final int plane;
    private final boolean vectors;
    private final float[] scales;
    private final long[] multipliers;
    private final int[] shifts;
    private final int[] masks;

    ByteOutput(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        rule = spec.requantization();
        outC = shape.outC();
        outBlock = spec.out().block(outC);
        plane = shape.outH() * shape.outW();
        int lanes = (outC + V - 1) / V * V;
        scales = rule.isFixedPoint() ? null : new float[lanes];
        multipliers = rule.isFixedPoint() ? new long[lanes] : null;
        shifts = rule.isFixedPoint() ? new int[lanes] : null;
        masks = rule.isFixedPoint() ? new int[lanes] : null;
        boolean moderate = true;
        for (int c = 0; c < outC; c++) {
            if (rule.isFixedPoint()) {
                moderate &= rule.shift(c) <= 0;
                multipliers[c] = rule.multiplier(c);
                shifts[c] = Math.max(-rule.shift(c), 0);
                masks[c] = (int) ((1L << shifts[c]) - 1);
            } else {
                moderate &= rule.scale(c) <= LARGEST_SCALE;
                scales[c] = rule.scale(c);
            }
        }
        vectors = ByteLanes.SUPPORTED && outBlock > 1 && moderate;
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
    void narrow(float[] sums, int from, int step, int channel, byte[] out, int outOffset, int pixel, int pixelStep, int count, byte[] bytes) {
        int channels = Math.min(V, outC - channel);
        int at = outOffset + place(channel, pixel);
        int outStep = pixelStep * outBlock;
        if (!vectors || !WarmUp.isNarrowReady(rule.isFixedPoint())) {
            int laneStep = outBlock == 1 ? plane : 1;
            for (int i = 0; i < count; i++) {
                for (int c = 0; c < channels; c++) {
                    out[at + i * outStep + c * laneStep] = (byte) rule.apply((int) sums[from + i * step + c], channel + c);
                }
            }
            return;
        }
        boolean whole = channels == V;
        byte[] target = whole ? out : bytes;
        int targetAt = whole ? at : 0;
        int targetStep = whole ? outStep : V;
        if (rule.isFixedPoint()) {
            ByteLanes.fixedPoint(sums, from, step, multipliers, shifts, masks, channel, rule.min(), rule.max(), rule.zeroPoint(), target,
                targetAt, targetStep, count);
        } else {
            ByteLanes.halfEven(sums, from, step, scales, channel, rule.min() - rule.zeroPoint(), rule.max() - rule.zeroPoint(),
                rule.zeroPoint(), target, targetAt, targetStep, count);
        }
        if (!whole) {
            for (int i = 0; i < count; i++) {
                System.arraycopy(bytes, i * V, out, at + i * outStep, channels);
            }
        }
    }
}
