package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.torchnnapi.kernels.Requantization;

/**
 * A requantization as the C kernels want it, {@code struct requantization} of int8.h: for every panel of channels the
 * cheapest arithmetic that gives exactly the rule's bytes.
 */
final class NativeRequantization {
    private static final NativeCall FUSE = NativeCall.of("fuse");
    /** As {@code enum rescaling}. */
    private static final int NEAREST = 0;

    private static final int BOUNDED = 1;
    private static final int FUSED = 2;
    private static final int ROUNDINGS = 3;
    /** Sums further apart are no floats that follow each other. */
    private static final int FUSED_SPAN = 1 << 23;
    /** As {@code struct limits}. */
    private static final int LIMITS_SIZE = 320;

    private static final int ADDENDS = 32;
    private static final int LIMIT_BYTES = 64;
    /** Of {@code struct multiply_add}. */
    private static final int MULTIPLY_ADD_INTS = 4;

    private final Requantization rule;
    private final int flip;
    private final int panel;
    private final float[] scales;
    private final float[] offsets;
    private final int[] starts;
    private final NativeMemory[] pointers;

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
        pointers = new NativeMemory[] {
            NativeMemory.copyOf(scales),
            NativeMemory.copyOf(offsets),
            NativeMemory.copyOf(limits()),
            NativeMemory.copyOf(roundings)
        };
    }

    /** A product with a scale below 1 stays an int. */
    private int byProduct(int first) {
        for (int place = first; place < first + panel; place++) {
            if (scales[place] >= 1) {
                return BOUNDED;
            }
        }
        return NEAREST;
    }

    /**
     * Takes multiply-adds for the panels that have them; behind a place that has none, those of its panel are not set.
     */
    private void fuse(SumBounds bounds, byte[] roundings) {
        int[] found = new int[Math.multiplyExact(MULTIPLY_ADD_INTS, scales.length)];
        FUSE.run(
                null,
                scales,
                0,
                null,
                0,
                found,
                0,
                0,
                scales.length,
                rule.min() - rule.zeroPoint(),
                rule.max() - rule.zeroPoint(),
                panel,
                0,
                bounds.least(),
                bounds.most());
        for (int i = 0; i < roundings.length; i++) {
            int first = i * panel;
            boolean all = true;
            for (int place = first; place < first + panel; place++) {
                all &= found[place * MULTIPLY_ADD_INTS + 3] != 0;
            }
            for (int place = first; all && place < first + panel; place++) {
                int at = place * MULTIPLY_ADD_INTS;
                scales[place] = Float.intBitsToFloat(found[at]);
                offsets[place] = Float.intBitsToFloat(found[at + 1]) + (rule.zeroPoint() + flip);
                starts[place] = found[at + 2];
                roundings[i] = FUSED;
            }
        }
    }

    /** Of each kind of rounding. */
    private byte[] limits() {
        ByteBuffer limits = ByteBuffer.allocate(LIMITS_SIZE * ROUNDINGS).order(ByteOrder.nativeOrder());
        byte[] all = limits.array();
        for (int rounding = 0; rounding < ROUNDINGS; rounding++) {
            int at = rounding * LIMITS_SIZE;
            // The zero point is in the offsets of a multiply-add.
            int addend = rounding == FUSED ? 0 : rule.zeroPoint() + flip;
            int twice = addend & 0xFFFF | addend << 16;
            for (int i = 0; i < ADDENDS / 2; i++) {
                limits.putInt(at + 4 * i, twice);
            }
            Arrays.fill(all, at + 64, at + 64 + LIMIT_BYTES, (byte) (rule.min() + flip));
            Arrays.fill(all, at + 128, at + 128 + LIMIT_BYTES, (byte) (rule.max() + flip));
            Arrays.fill(all, at + 192, at + 192 + LIMIT_BYTES, (byte) flip);
            limits.putInt(at + 256, addend != 0 || flip != 0 || rule.min() != 0 || rule.max() != 255 ? 1 : 0);
        }
        return all;
    }

    /** Where the sum at a place begins, besides its bias. */
    int start(int place) {
        return starts[place];
    }

    /** The fields of the structure. */
    NativeMemory[] pointers() {
        return pointers;
    }
}
