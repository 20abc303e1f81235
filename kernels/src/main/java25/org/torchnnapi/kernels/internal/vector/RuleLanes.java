package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.Requantization;

/** A requantization of exact sums in floats, its factors by channel in whole vectors. */
final class RuleLanes {
    private final Requantization rule;
    private final int channelCount;
    private final boolean vectors;
    private final float[] scales;
    private final long[] multipliers;
    private final int[] shifts;
    private final int[] masks;

    RuleLanes(Requantization rule, int channels) {
        this.rule = rule;
        channelCount = channels;
        int lanes = (channels + V - 1) / V * V;
        scales = rule.isFixedPoint() ? null : new float[lanes];
        multipliers = rule.isFixedPoint() ? new long[lanes] : null;
        shifts = rule.isFixedPoint() ? new int[lanes] : null;
        masks = rule.isFixedPoint() ? new int[lanes] : null;
        boolean right = true;
        for (int c = 0; c < channels; c++) {
            if (rule.isFixedPoint()) {
                right &= rule.shift(c) <= 0;
                multipliers[c] = rule.multiplier(c);
                shifts[c] = Math.max(-rule.shift(c), 0);
                masks[c] = (int) ((1L << shifts[c]) - 1);
            } else {
                scales[c] = rule.scale(c);
            }
        }
        // Shifts to the left, of sums scaled up, are left to the plain rule.
        vectors = ByteLanes.SUPPORTED && right;
    }

    private int lowerBits() {
        return Lanes.roundedBits(rule.min() - rule.zeroPoint());
    }

    private int upperBits() {
        return Lanes.roundedBits(rule.max() - rule.zeroPoint());
    }

    /** Whether {@link #narrow} may be called; otherwise {@link Requantization#apply} has to do. */
    boolean isReady() {
        return vectors && WarmUp.isNarrowReady(rule.isFixedPoint());
    }

    /** The bytes of V channels from {@code channel} on, a multiple of V, of {@code count} pixels; only when ready. */
    void narrow(float[] sums, int from, int step, int channel, byte[] out, int at, int outStep, int count) {
        if (rule.isFixedPoint()) {
            ByteLanes.fixedPoint(sums, from, step, multipliers, shifts, masks, channel, rule.min(), rule.max(), rule.zeroPoint(), out, at,
                outStep, count);
        } else {
            ByteLanes.halfEven(sums, from, step, scales, channel, lowerBits(), upperBits(), rule.zeroPoint(), out, at, outStep, count);
        }
    }

    /**
     * Makes sums outputs less their zero point, in place: what the next convolution multiplies.
     *
     * @param channel a multiple of V
     * @param count adjacent pixels of V channels each
     */
    void round(float[] sums, int from, int channel, int count) {
        if (!vectors || !WarmUp.isRoundReady(rule.isFixedPoint())) {
            int channels = Math.min(V, channelCount - channel);
            for (int i = 0; i < count; i++) {
                for (int c = 0; c < channels; c++) {
                    int at = from + i * V + c;
                    sums[at] = rule.apply((int) sums[at], channel + c) - rule.zeroPoint();
                }
            }
        } else if (rule.isFixedPoint()) {
            ByteLanes.roundFixedPoint(sums, from, multipliers, shifts, masks, channel, rule.min() - rule.zeroPoint(),
                rule.max() - rule.zeroPoint(), count);
        } else {
            ByteLanes.roundHalfEven(sums, from, scales, channel, lowerBits(), upperBits(), count);
        }
    }
}
