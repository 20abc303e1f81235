package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.kernels.CacheLines;

/**
 * Places for stretches of memory in one array, the largest first, each where it fits between those that live at the same time: in the middle
 * of the largest if it can and that takes no more memory, else as far in front as it can. Two threads take the two halves of most values, so
 * what has its middle in common with what lay there before is written by the thread whose core has the lines in its cache. Places are whole
 * cache lines.
 */
final class MemoryPlan {

    private record Stretch(int key, long size, int first, int last) {
        boolean livesWith(Stretch other) {
            return first <= other.last && other.first <= last;
        }
    }

    private final int elementBytes;
    private final List<Stretch> stretches = new ArrayList<>();
    private final List<Stretch> placed = new ArrayList<>();
    private final Map<Integer, Long> offsets = new HashMap<>();
    private long size;

    MemoryPlan(int elementBytes) {
        this.elementBytes = elementBytes;
    }

    /** @param last the last step that needs it, as {@code first} the first */
    void add(int key, int size, int first, int last) {
        int line = CacheLines.BYTES / elementBytes;
        stretches.add(new Stretch(key, ((long) size + line - 1) / line * line, first, last));
    }

    void plan() {
        stretches.sort((a, b) -> a.size() != b.size() ? Long.compare(b.size(), a.size()) : Integer.compare(a.first(), b.first()));
        lay(false);
        long least = size;
        lay(true);
        if (size > least) {
            lay(false);
        }
    }

    private void lay(boolean middles) {
        placed.clear();
        offsets.clear();
        size = 0;
        for (Stretch stretch : stretches) {
            long middle = middle(stretch);
            long at = middles && fits(stretch, middle) ? middle : firstFit(stretch);
            offsets.put(stretch.key, at);
            int rank = 0;
            while (rank < placed.size() && offsets.get(placed.get(rank).key) < at) {
                rank++;
            }
            placed.add(rank, stretch);
            size = Math.max(size, at + stretch.size);
        }
    }

    /** Where a stretch begins whose middle is that of the largest. */
    private long middle(Stretch stretch) {
        int line = CacheLines.BYTES / elementBytes;
        return (stretches.get(0).size - stretch.size) / 2 / line * line;
    }

    private boolean fits(Stretch stretch, long at) {
        return placed.stream().noneMatch(other -> other.livesWith(stretch) && offsets.get(other.key) < at + stretch.size
                && at < offsets.get(other.key) + other.size);
    }

    private long firstFit(Stretch stretch) {
        long at = 0;
        for (Stretch other : placed) {
            long start = offsets.get(other.key);
            if (other.livesWith(stretch) && start < at + stretch.size) {
                at = Math.max(at, start + other.size);
            }
        }
        return at;
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
