package org.torchnnapi.kernels.internal.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntUnaryOperator;
import org.torchnnapi.kernels.Requantization;

/** Lays out {@code struct requantization} of int8.h. */
final class NativeRule {
    /** Bytes of the structure. */
    static final long SIZE = 64;
    private static final int LANES = 16;

    private NativeRule() {
    }

    /**
     * Writes the structure at {@code at}.
     *
     * @param padded channels, with those that fill the last panel
     * @param channelAt the channel at each of the padded places; those beyond the last get anything harmless
     */
    static void write(MemorySegment struct, long at, Requantization rule, int channels, int padded, IntUnaryOperator channelAt, Arena arena) {
        MemorySegment scales = MemorySegment.NULL;
        MemorySegment multipliers = MemorySegment.NULL;
        MemorySegment lefts = MemorySegment.NULL;
        MemorySegment rights = MemorySegment.NULL;
        MemorySegment pairShifts = MemorySegment.NULL;
        MemorySegment pairRounds = MemorySegment.NULL;
        boolean anyLeft = false;
        if (rule.isFixedPoint()) {
            multipliers = arena.allocate(4L * padded, 64);
            lefts = arena.allocate(4L * padded, 64);
            rights = arena.allocate(4L * padded, 64);
            pairShifts = arena.allocate(8L * padded, 64);
            pairRounds = arena.allocate(8L * padded, 64);
            for (int i = 0; i < padded; i++) {
                int channel = Math.min(channelAt.applyAsInt(i), channels - 1);
                int left = Math.max(rule.shift(channel), 0);
                int right = Math.max(-rule.shift(channel), 0);
                anyLeft |= left > 0;
                multipliers.setAtIndex(ValueLayout.JAVA_INT, i, rule.multiplier(channel));
                lefts.setAtIndex(ValueLayout.JAVA_INT, i, left);
                rights.setAtIndex(ValueLayout.JAVA_INT, i, right);
                int pair = i / LANES * LANES + i % 2 * (LANES / 2) + i % LANES / 2;
                pairShifts.setAtIndex(ValueLayout.JAVA_LONG, pair, 31 + right);
                pairRounds.setAtIndex(ValueLayout.JAVA_LONG, pair, (1L << 30) + (right > 0 ? 1L << 30 + right : 0));
            }
        } else {
            scales = arena.allocate(4L * padded, 64);
            for (int i = 0; i < padded; i++) {
                scales.setAtIndex(ValueLayout.JAVA_FLOAT, i, rule.scale(Math.min(channelAt.applyAsInt(i), channels - 1)));
            }
        }
        MemorySegment[] pointers = {scales, multipliers, lefts, rights, pairShifts, pairRounds};
        for (int i = 0; i < pointers.length; i++) {
            struct.set(ValueLayout.ADDRESS, at + 8L * i, pointers[i]);
        }
        int[] numbers = {anyLeft ? 1 : 0, rule.zeroPoint(), rule.min(), rule.max()};
        for (int i = 0; i < numbers.length; i++) {
            struct.set(ValueLayout.JAVA_INT, at + 48 + 4L * i, numbers[i]);
        }
    }
}
