package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.Requantization;

/** A requantization of exact sums in floats, its factors by channel in whole vectors. */
final class RuleLanes {
    private final Requantization rule;
    private final int channelCount;
    private final float[] scales;

    RuleLanes(Requantization rule, int channels) {
        this.rule = rule;
        channelCount = channels;
        scales = new float[(channels + V - 1) / V * V];
        for (int c = 0; c < channels; c++) {
            scales[c] = rule.scale(c);
        }
    }

    private int lowerBits() {
        return Lanes.roundedBits(rule.min() - rule.zeroPoint());
    }

    private int upperBits() {
        return Lanes.roundedBits(rule.max() - rule.zeroPoint());
    }

    /** Whether {@link #narrow} may be called; otherwise {@link Requantization#apply} has to do. */
    boolean isReady() {
        return ByteLanes.SUPPORTED && WarmUp.isNarrowReady();
    }

    /** The bytes of V channels from {@code channel} on, a multiple of V, of {@code count} pixels; only when ready. */
    void narrow(float[] sums, int from, int step, int channel, byte[] out, int at, int outStep, int count) {
        ByteLanes.halfEven(
                sums, from, step, scales, channel, lowerBits(), upperBits(), rule.zeroPoint(), out, at, outStep, count);
    }

    /**
     * Makes sums outputs less their zero point, in place: what the next convolution multiplies.
     *
     * @param channel a multiple of V
     * @param count adjacent pixels of V channels each
     */
    void round(float[] sums, int from, int channel, int count) {
        if (!ByteLanes.SUPPORTED || !WarmUp.isRoundReady()) {
            int channels = Math.min(V, channelCount - channel);
            for (int i = 0; i < count; i++) {
                for (int c = 0; c < channels; c++) {
                    int at = from + i * V + c;
                    sums[at] = rule.apply((int) sums[at], channel + c) - rule.zeroPoint();
                }
            }
        } else {
            ByteLanes.roundHalfEven(sums, from, scales, channel, lowerBits(), upperBits(), count);
        }
    }
}
