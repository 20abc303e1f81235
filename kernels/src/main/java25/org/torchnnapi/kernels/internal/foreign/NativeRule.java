package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
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

    private static final MethodHandle FIT = NativeLibrary.function("fit", FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
        ADDRESS));
    /** As {@code enum rescaling}. */
    private static final int NEAREST = 0;
    private static final int INTEGER = 2;
    private static final int ROUNDINGS = 3;
    /** As {@code struct limits}. */
    private static final long LIMITS_SIZE = 256;
    private static final int ADDENDS = 32;
    private static final int LIMIT_BYTES = 64;
    /** As {@code struct fitted}. */
    private static final long FITTED_SIZE = 20;
    /** Room for the centre that is taken from sums. */
    private static final long CENTRES = 1 << 21;

    private final Requantization rule;
    private final MemorySegment scales;
    private final MemorySegment offsets;
    private final MemorySegment multipliers;
    private final MemorySegment lefts;
    private final MemorySegment rights;
    private final MemorySegment limits;
    private final MemorySegment roundings;
    private final int[] centres;
    private final MemorySegment fitted;
    private int fittedMultiplier = -1;
    private int fittedShift;

    /**
     * @param panel channels that share a kind of arithmetic
     * @param padded channels, with those that fill the last panel
     * @param channelAt the channel at each of the padded places
     * @param mostSum no sum is further from 0
     */
    NativeRule(Requantization rule, int channels, int panel, int padded, IntUnaryOperator channelAt, long mostSum, Arena arena) {
        this.rule = rule;
        scales = arena.allocate(4L * padded, 64);
        offsets = arena.allocate(4L * padded, 64);
        multipliers = rule.isFixedPoint() ? arena.allocate(4L * padded, 64) : MemorySegment.NULL;
        lefts = arena.allocate(4L * padded, 64);
        rights = arena.allocate(4L * padded, 64);
        limits = arena.allocate(LIMITS_SIZE * ROUNDINGS, 64);
        roundings = arena.allocate(padded / panel, 64);
        centres = new int[padded];
        fitted = arena.allocate(FITTED_SIZE, 4);
        for (int kind = 0; kind < ROUNDINGS; kind++) {
            writeLimits(kind, 0);
        }
        boolean fits = mostSum + CENTRES <= Integer.MAX_VALUE;
        for (int first = 0; first < padded; first += panel) {
            for (int place = first; place < first + panel; place++) {
                int channel = Math.min(channelAt.applyAsInt(place), channels - 1);
                if (rule.isFixedPoint()) {
                    multipliers.setAtIndex(JAVA_INT, place, rule.multiplier(channel));
                    lefts.setAtIndex(JAVA_INT, place, Math.max(rule.shift(channel), 0));
                    rights.setAtIndex(JAVA_INT, place, Math.max(-rule.shift(channel), 0));
                } else {
                    scales.setAtIndex(JAVA_FLOAT, place, rule.scale(channel));
                }
            }
            roundings.set(JAVA_BYTE, first / panel, (byte) (rule.isFixedPoint() ? fits ? fitPanel(first, panel) : INTEGER : halfEven(first, panel)));
        }
    }

    /** A product with a scale below 1 stays an int. */
    private int halfEven(int first, int panel) {
        for (int place = first; place < first + panel; place++) {
            if (scales.getAtIndex(JAVA_FLOAT, place) >= 1) {
                return INTEGER;
            }
        }
        return NEAREST;
    }

    private int fitPanel(int first, int panel) {
        int rounding = INTEGER;
        for (int place = first; place < first + panel; place++) {
            fit(multipliers.getAtIndex(JAVA_INT, place), rights.getAtIndex(JAVA_INT, place) - lefts.getAtIndex(JAVA_INT, place));
            rounding = fitted.get(JAVA_INT, 16);
            if (rounding == INTEGER) {
                Arrays.fill(centres, first, first + panel, 0);
                return INTEGER;
            }
            scales.setAtIndex(JAVA_FLOAT, place, fitted.get(JAVA_FLOAT, 0));
            offsets.setAtIndex(JAVA_FLOAT, place, fitted.get(JAVA_FLOAT, 4));
            centres[place] = fitted.get(JAVA_INT, 8);
            writeLimits(rounding, fitted.get(JAVA_INT, 12));
        }
        return rounding;
    }

    /** Neighbours usually have the same multiplier, which is then fitted once. */
    private void fit(int multiplier, int right) {
        if (multiplier == fittedMultiplier && right == fittedShift) {
            return;
        }
        fittedMultiplier = multiplier;
        fittedShift = right;
        try {
            FIT.invokeExact(multiplier, right, rule.min() - rule.zeroPoint(), rule.max() - rule.zeroPoint(), fitted);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private void writeLimits(int rounding, int middle) {
        int flip = rule.min() < 0 ? 128 : 0;
        long at = rounding * LIMITS_SIZE;
        for (int i = 0; i < ADDENDS; i++) {
            limits.set(JAVA_SHORT, at + 2L * i, (short) (rule.zeroPoint() + flip + middle));
        }
        for (int i = 0; i < LIMIT_BYTES; i++) {
            limits.set(JAVA_BYTE, at + 64 + i, (byte) (rule.min() + flip));
            limits.set(JAVA_BYTE, at + 128 + i, (byte) (rule.max() + flip));
            limits.set(JAVA_BYTE, at + 192 + i, (byte) flip);
        }
    }

    /** What the bias at a place must be less by. */
    int centre(int place) {
        return centres[place];
    }

    /** Writes the structure at {@code at}. */
    void write(MemorySegment struct, long at) {
        MemorySegment[] pointers = {scales, offsets, multipliers, lefts, rights, limits, roundings};
        for (int i = 0; i < pointers.length; i++) {
            struct.set(ADDRESS, at + 8L * i, pointers[i]);
        }
    }
}
