package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.torchnnapi.kernels.Requantization;

/**
 * A requantization as the C kernels want it, {@code struct requantization} of int8.h: for every panel of channels the cheapest arithmetic that
 * gives exactly the rule's bytes.
 */
final class NativeRule {
    private static final NativeCall FIT = NativeCall.of("fit");
    private static final NativeCall FUSE = NativeCall.of("fuse");
    /** As {@code enum rescaling}. */
    private static final int NEAREST = 0;
    private static final int INTEGER = 2;
    private static final int FUSED = 3;
    private static final int ROUNDINGS = 4;
    /** Sums further apart are no floats that follow each other. */
    private static final int FUSED_SPAN = 1 << 23;
    /** As {@code struct limits}. */
    private static final int LIMITS_SIZE = 320;
    private static final int ADDENDS = 32;
    private static final int LIMIT_BYTES = 64;
    /** As {@code struct fitted}. */
    private static final int FITTED_INTS = 5;
    /** Room for the centre that is taken from sums. */
    private static final long CENTRES = 1 << 21;

    private final Requantization rule;
    private final ByteBuffer limits = ByteBuffer.allocate(LIMITS_SIZE * ROUNDINGS).order(ByteOrder.nativeOrder());
    private final int[] centres;
    private final NativeMemory[] pointers;
    private int limitedRounding = -1;
    private int limitedMiddle;

    /**
     * @param panel channels that share a kind of arithmetic
     * @param padded channels, with those that fill the last panel
     * @param channelAt the channel at each of the padded places
     * @param bounds of all channels' sums
     */
    NativeRule(Requantization rule, int channels, int panel, int padded, IntUnaryOperator channelAt, SumBounds bounds) {
        this.rule = rule;
        centres = new int[padded];
        for (int kind = 0; kind < ROUNDINGS; kind++) {
            writeLimits(kind, 0);
        }
        float[] scales = new float[padded];
        float[] offsets = new float[padded];
        int[] multipliers = new int[rule.isFixedPoint() ? padded : 0];
        int[] lefts = new int[padded];
        int[] rights = new int[padded];
        for (int place = 0; place < padded; place++) {
            int channel = Math.min(channelAt.applyAsInt(place), channels - 1);
            if (rule.isFixedPoint()) {
                multipliers[place] = rule.multiplier(channel);
                lefts[place] = Math.max(rule.shift(channel), 0);
                rights[place] = Math.max(-rule.shift(channel), 0);
            } else {
                scales[place] = rule.scale(channel);
            }
        }
        int[] shifts = new int[padded];
        for (int i = 0; i < padded; i++) {
            shifts[i] = rights[i] - lefts[i];
        }
        byte[] roundings = new byte[padded / panel];
        Arrays.fill(roundings, (byte) INTEGER);
        if (bounds.most() - bounds.least() < FUSED_SPAN && Math.max(-bounds.least(), bounds.most()) < FUSED_SPAN) {
            take(fuse(scales, multipliers, shifts, bounds, panel), scales, offsets, roundings, panel);
        }
        if (rule.isFixedPoint()) {
            if (Math.max(-bounds.least(), bounds.most()) + CENTRES <= Integer.MAX_VALUE && contains(roundings, INTEGER)) {
                take(fit(multipliers, shifts, panel), scales, offsets, roundings, panel);
            }
        } else {
            for (int i = 0; i < roundings.length; i++) {
                roundings[i] = roundings[i] == FUSED ? FUSED : (byte) halfEven(scales, i * panel, panel);
            }
        }
        pointers = new NativeMemory[] {NativeMemory.copyOf(scales), NativeMemory.copyOf(offsets),
            rule.isFixedPoint() ? NativeMemory.copyOf(multipliers) : null, NativeMemory.copyOf(lefts), NativeMemory.copyOf(rights),
            NativeMemory.copyOf(limits.array()), NativeMemory.copyOf(roundings)};
    }

    /** A product with a scale below 1 stays an int. */
    private static int halfEven(float[] scales, int first, int panel) {
        for (int place = first; place < first + panel; place++) {
            if (scales[place] >= 1) {
                return INTEGER;
            }
        }
        return NEAREST;
    }

    private static boolean contains(byte[] roundings, int rounding) {
        for (byte one : roundings) {
            if (one == rounding) {
                return true;
            }
        }
        return false;
    }

    /** The structures {@code struct fitted} of all places in one call; behind one that nothing fits, those of its panel are not set. */
    private int[] fit(int[] multipliers, int[] shifts, int panel) {
        int[] fitted = new int[Math.multiplyExact(FITTED_INTS, shifts.length)];
        FIT.run(null, multipliers, 0, shifts, 0, fitted, 0, 0, shifts.length, rule.min() - rule.zeroPoint(), rule.max() - rule.zeroPoint(),
            panel, 0, 0, 0);
        return fitted;
    }

    private int[] fuse(float[] scales, int[] multipliers, int[] shifts, SumBounds bounds, int panel) {
        int[] fitted = new int[Math.multiplyExact(FITTED_INTS, shifts.length)];
        boolean halfEven = !rule.isFixedPoint();
        FUSE.run(null, halfEven ? scales : multipliers, 0, shifts, 0, fitted, 0, halfEven ? 1 : 0, shifts.length,
            rule.min() - rule.zeroPoint(), rule.max() - rule.zeroPoint(), panel, 0, bounds.least(), bounds.most());
        return fitted;
    }

    /** Takes what fits whole panels that have nothing yet. */
    private void take(int[] fitted, float[] scales, float[] offsets, byte[] roundings, int panel) {
        for (int i = 0; i < roundings.length; i++) {
            int first = i * panel;
            int rounding = roundings[i] == INTEGER ? rounding(fitted, first, panel) : INTEGER;
            for (int place = first; rounding != INTEGER && place < first + panel; place++) {
                int at = place * FITTED_INTS;
                scales[place] = Float.intBitsToFloat(fitted[at]);
                offsets[place] = Float.intBitsToFloat(fitted[at + 1]) + (rounding == FUSED ? rule.zeroPoint() + flip() : 0);
                centres[place] = fitted[at + 2];
                if (rounding != limitedRounding || fitted[at + 3] != limitedMiddle) {
                    writeLimits(rounding, fitted[at + 3]);
                }
                roundings[i] = (byte) rounding;
            }
        }
    }

    /** What fits all of a panel. */
    private static int rounding(int[] fitted, int first, int panel) {
        for (int place = first; place < first + panel; place++) {
            if (fitted[place * FITTED_INTS + 4] == INTEGER) {
                return INTEGER;
            }
        }
        return fitted[first * FITTED_INTS + 4];
    }

    private int flip() {
        return rule.min() < 0 ? 128 : 0;
    }

    private void writeLimits(int rounding, int middle) {
        limitedRounding = rounding;
        limitedMiddle = middle;
        int flip = flip();
        int at = rounding * LIMITS_SIZE;
        // The zero point is in the offsets of a single multiply-add.
        int addend = rounding == FUSED ? 0 : rule.zeroPoint() + flip + middle;
        int twice = addend & 0xFFFF | addend << 16;
        for (int i = 0; i < ADDENDS / 2; i++) {
            limits.putInt(at + 4 * i, twice);
        }
        byte[] all = limits.array();
        Arrays.fill(all, at + 64, at + 64 + LIMIT_BYTES, (byte) (rule.min() + flip));
        Arrays.fill(all, at + 128, at + 128 + LIMIT_BYTES, (byte) (rule.max() + flip));
        Arrays.fill(all, at + 192, at + 192 + LIMIT_BYTES, (byte) flip);
        limits.putInt(at + 256, addend != 0 || flip != 0 || rule.min() != 0 || rule.max() != 255 ? 1 : 0);
    }

    /** What the bias at a place must be less by. */
    int centre(int place) {
        return centres[place];
    }

    /** The fields of the structure. */
    NativeMemory[] pointers() {
        return pointers;
    }
}
