package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.kernels.CacheLines;

/**
 * Places for stretches of memory in one array, the largest first, each where it fits between those that live at the same time.
 * Places are whole cache lines.
 */
final class Arena {

    private record Stretch(int key, long size, int first, int last) {
    }

    private final int elementBytes;
    private final List<Stretch> stretches = new ArrayList<>();
    private final List<Stretch> placed = new ArrayList<>();
    private final Map<Integer, Long> offsets = new HashMap<>();
    private long size;

    Arena(int elementBytes) {
        this.elementBytes = elementBytes;
    }

    /** @param last the last step that needs it, as {@code first} the first */
    void add(int key, int size, int first, int last) {
        int line = CacheLines.BYTES / elementBytes;
        stretches.add(new Stretch(key, ((long) size + line - 1) / line * line, first, last));
    }

    void plan() {
        stretches.sort((a, b) -> a.size() != b.size() ? Long.compare(b.size(), a.size()) : Integer.compare(a.first(), b.first()));
        for (Stretch stretch : stretches) {
            long at = 0;
            for (Stretch other : placed) {
                long start = offsets.get(other.key);
                boolean together = other.first <= stretch.last && stretch.first <= other.last;
                if (together && start < at + stretch.size) {
                    at = Math.max(at, start + other.size);
                }
            }
            offsets.put(stretch.key, at);
            int rank = 0;
            while (rank < placed.size() && offsets.get(placed.get(rank).key) < at) {
                rank++;
            }
            placed.add(rank, stretch);
            size = Math.max(size, at + stretch.size);
        }
    }

    /** Where a stretch begins, in elements; -1 if there is no such. */
    int offset(int key) {
        Long offset = offsets.get(key);
        return offset == null ? -1 : (int) Math.min(offset, Integer.MAX_VALUE);
    }

    /** Elements of the array. */
    long size() {
        return size;
    }
}
