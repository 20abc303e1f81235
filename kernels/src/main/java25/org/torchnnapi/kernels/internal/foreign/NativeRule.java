package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.torchnnapi.kernels.Requantization;

/**
 * A requantization as the C kernels want it, {@code struct requantization} of int8.h: for every panel of channels the cheapest arithmetic that
 * gives exactly the rule's bytes.
 */
final class NativeRule {
    /** Bytes of the structure. */
    static final long SIZE = 56;

    private static final NativeCall FIT = NativeCall.of("fit");
    /** As {@code enum rescaling}. */
    private static final int NEAREST = 0;
    private static final int INTEGER = 2;
    private static final int ROUNDINGS = 3;
    /** As {@code struct limits}. */
    private static final long LIMITS_SIZE = 256;
    private static final int ADDENDS = 32;
    private static final int LIMIT_BYTES = 64;
    /** As {@code struct fitted}. */
    private static final int FITTED_INTS = 5;
    /** Room for the centre that is taken from sums. */
    private static final long CENTRES = 1 << 21;

    private final Requantization rule;
    private final MemorySegment limits;
    private final int[] centres;
    private final MemorySegment[] pointers;
    private int limitedRounding = -1;
    private int limitedMiddle;

    /**
     * @param panel channels that share a kind of arithmetic
     * @param padded channels, with those that fill the last panel
     * @param channelAt the channel at each of the padded places
     * @param mostSum no sum is further from 0
     */
    NativeRule(Requantization rule, int channels, int panel, int padded, IntUnaryOperator channelAt, long mostSum, Arena arena) {
        this.rule = rule;
        limits = arena.allocate(LIMITS_SIZE * ROUNDINGS, 64);
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
        byte[] roundings = new byte[padded / panel];
        if (!rule.isFixedPoint()) {
            for (int i = 0; i < roundings.length; i++) {
                roundings[i] = (byte) halfEven(scales, i * panel, panel);
            }
        } else if (mostSum + CENTRES <= Integer.MAX_VALUE) {
            int[] fitted = fit(multipliers, lefts, rights, panel);
            for (int i = 0; i < roundings.length; i++) {
                roundings[i] = (byte) takePanel(fitted, scales, offsets, i * panel, panel);
            }
        } else {
            Arrays.fill(roundings, (byte) INTEGER);
        }
        MemorySegment kinds = arena.allocate(roundings.length, 64);
        MemorySegment.copy(roundings, 0, kinds, JAVA_BYTE, 0, roundings.length);
        pointers = new MemorySegment[] {Segments.copied(scales, arena), Segments.copied(offsets, arena),
            rule.isFixedPoint() ? Segments.copied(multipliers, arena) : MemorySegment.NULL, Segments.copied(lefts, arena),
            Segments.copied(rights, arena), limits, kinds};
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

    /** The structures {@code struct fitted} of all places in one call; behind one that nothing fits, those of its panel are not set. */
    private int[] fit(int[] multipliers, int[] lefts, int[] rights, int panel) {
        int[] shifts = new int[rights.length];
        for (int i = 0; i < shifts.length; i++) {
            shifts[i] = rights[i] - lefts[i];
        }
        int[] fitted = new int[Math.multiplyExact(FITTED_INTS, shifts.length)];
        FIT.run(MemorySegment.NULL, MemorySegment.ofArray(multipliers), 0, MemorySegment.ofArray(shifts), 0, MemorySegment.ofArray(fitted), 0,
            0, shifts.length, rule.min() - rule.zeroPoint(), rule.max() - rule.zeroPoint(), panel, 0, 0, 0);
        return fitted;
    }

    private int takePanel(int[] fitted, float[] scales, float[] offsets, int first, int panel) {
        int rounding = INTEGER;
        for (int place = first; place < first + panel; place++) {
            int at = place * FITTED_INTS;
            rounding = fitted[at + 4];
            if (rounding == INTEGER) {
                Arrays.fill(centres, first, first + panel, 0);
                return INTEGER;
            }
            scales[place] = Float.intBitsToFloat(fitted[at]);
            offsets[place] = Float.intBitsToFloat(fitted[at + 1]);
            centres[place] = fitted[at + 2];
            if (rounding != limitedRounding || fitted[at + 3] != limitedMiddle) {
                writeLimits(rounding, fitted[at + 3]);
            }
        }
        return rounding;
    }

    private void writeLimits(int rounding, int middle) {
        limitedRounding = rounding;
        limitedMiddle = middle;
        int flip = rule.min() < 0 ? 128 : 0;
        long at = rounding * LIMITS_SIZE;
        for (int i = 0; i < ADDENDS; i++) {
            limits.set(JAVA_SHORT, at + 2L * i, (short) (rule.zeroPoint() + flip + middle));
        }
        limits.asSlice(at + 64, LIMIT_BYTES).fill((byte) (rule.min() + flip));
        limits.asSlice(at + 128, LIMIT_BYTES).fill((byte) (rule.max() + flip));
        limits.asSlice(at + 192, LIMIT_BYTES).fill((byte) flip);
    }

    /** What the bias at a place must be less by. */
    int centre(int place) {
        return centres[place];
    }

    /** Writes the structure at {@code at}. */
    void write(MemorySegment struct, long at) {
        for (int i = 0; i < pointers.length; i++) {
            struct.set(ADDRESS, at + 8L * i, pointers[i]);
        }
    }
}
