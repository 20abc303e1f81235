package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;
import org.torchnnapi.kernels.Requantization;

/**
 * A requantization as the C kernels want it, {@code struct requantization}: for every panel of channels the cheapest
 * arithmetic that gives exactly the rule's bytes.
 */
final class NativeRequantization {
    /** Sums further apart are no floats that follow each other. */
    private static final int FUSED_SPAN = 1 << 23;

    private final Requantization rule;
    private final int flip;
    private final int panel;
    private final float[] scales;
    private final float[] offsets;
    private final int[] starts;
    private final RequantizationStruct struct;

    /**
     * @param panel channels that share a kind of arithmetic
     * @param padded channels, with those that fill the last panel
     * @param channelAt the channel at each of the padded places
     * @param bounds of all channels' sums
     */
    NativeRequantization(
            Requantization rule, int channels, int panel, int padded, IntUnaryOperator channelAt, SumBounds bounds) {
        this.rule = rule;
        this.panel = panel;
        flip = rule.min() < 0 ? 128 : 0;
        scales = new float[padded];
        offsets = new float[padded];
        starts = new int[padded];
        for (int place = 0; place < padded; place++) {
            scales[place] = rule.scale(Math.min(channelAt.applyAsInt(place), channels - 1));
        }
        byte[] roundings = new byte[padded / panel];
        for (int i = 0; i < roundings.length; i++) {
            roundings[i] = (byte) byProduct(i * panel);
        }
        if (bounds.most() - bounds.least() < FUSED_SPAN && Math.max(-bounds.least(), bounds.most()) < FUSED_SPAN) {
            fuse(bounds, roundings);
        }
        struct = new RequantizationStruct()
                .scale(NativeMemory.copyOf(scales))
                .offset(NativeMemory.copyOf(offsets))
                .limits(limits())
                .rounding(NativeMemory.copyOf(roundings));
    }

    /** A product with a scale below 1 stays an int. */
    private int byProduct(int first) {
        for (int place = first; place < first + panel; place++) {
            if (scales[place] >= 1) {
                return Rescaling.BOUNDED;
            }
        }
        return Rescaling.NEAREST;
    }

    /**
     * Takes multiply-adds for the panels that have them; behind a place that has none, those of its panel are not set.
     */
    private void fuse(SumBounds bounds, byte[] roundings) {
        NativeMemory found = new NativeMemory((long) MultiplyAddStruct.BYTES * scales.length);
        FuseCalls.fuse(
                scales,
                found,
                scales.length,
                rule.min() - rule.zeroPoint(),
                rule.max() - rule.zeroPoint(),
                panel,
                (int) bounds.least(),
                (int) bounds.most());
        ByteBuffer bytes = found.bytes();
        for (int i = 0; i < roundings.length; i++) {
            int first = i * panel;
            boolean all = true;
            for (int place = first; place < first + panel; place++) {
                all &= bytes.getInt(place * MultiplyAddStruct.BYTES + MultiplyAddStruct.FOUND_AT) != 0;
            }
            for (int place = first; all && place < first + panel; place++) {
                int at = place * MultiplyAddStruct.BYTES;
                scales[place] = bytes.getFloat(at + MultiplyAddStruct.SCALE_AT);
                offsets[place] = bytes.getFloat(at + MultiplyAddStruct.OFFSET_AT) + (rule.zeroPoint() + flip);
                starts[place] = bytes.getInt(at + MultiplyAddStruct.START_AT);
                roundings[i] = Rescaling.FUSED;
            }
        }
    }

    /** Of each kind of rounding. */
    private NativeMemory limits() {
        NativeStruct[] limits = new NativeStruct[Rescaling.COUNT];
        for (int rounding = 0; rounding < limits.length; rounding++) {
            // The zero point is in the offsets of a multiply-add.
            int addend = rounding == Rescaling.FUSED ? 0 : rule.zeroPoint() + flip;
            limits[rounding] = new LimitsStruct()
                    .addend((short) addend)
                    .least((byte) (rule.min() + flip))
                    .most((byte) (rule.max() + flip))
                    .flip((byte) flip)
                    .needed(addend != 0 || flip != 0 || rule.min() != 0 || rule.max() != 255);
        }
        return NativeStruct.memory(limits);
    }

    /** Where the sum at a place begins, besides its bias. */
    int start(int place) {
        return starts[place];
    }

    /** What structures of convolutions have of it. */
    RequantizationStruct struct() {
        return struct;
    }
}
