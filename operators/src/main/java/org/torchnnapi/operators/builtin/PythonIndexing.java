package org.torchnnapi.operators.builtin;

import java.util.ArrayList;
import java.util.List;

/** Python's indexes and slices of sequences. */
final class PythonIndexing {
    private PythonIndexing() {}

    /** A position that counts from the end where it is negative. */
    static int checked(long index, int size, String what) {
        long at = index < 0 ? index + size : index;
        if (at < 0 || at >= size) {
            throw new IllegalArgumentException(
                    what + " index out of range: " + index + " (expected: " + -size + " to " + (size - 1) + ")");
        }
        return (int) at;
    }

    /** The positions of {@code [start:end:step]}; start and end may be null. */
    static List<Integer> slice(int size, Object start, Object end, long step) {
        if (step == Long.MIN_VALUE) {
            throw new IllegalArgumentException("slice step: " + step + " (expected: a number whose negative there is)");
        }
        if (step == 0) {
            throw new IllegalArgumentException("slice step: 0 (expected: any other number)");
        }
        long from = start == null
                ? step > 0 ? 0 : size - 1L
                : clamp((Long) start, size, step > 0 ? 0 : -1, step > 0 ? size : size - 1L);
        long to = end == null
                ? step > 0 ? size : -1
                : clamp((Long) end, size, step > 0 ? 0 : -1, step > 0 ? size : size - 1L);
        List<Integer> positions = new ArrayList<>();
        long bounded = Math.max(-size - 1L, Math.min(size + 1L, step));
        for (long i = from; step > 0 ? i < to : i > to; i += bounded) {
            positions.add((int) i);
        }
        return positions;
    }

    private static long clamp(long index, int size, long least, long most) {
        long at = index < 0 ? index + size : index;
        return Math.max(least, Math.min(most, at));
    }
}
