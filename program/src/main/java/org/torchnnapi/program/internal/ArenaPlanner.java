package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.kernels.CacheLines;

/**
 * Places for stretches of memory in one array, the largest first, each where it fits between those that live at the
 * same time: in the middle of the largest if it can and that takes no more memory, else as far in front as it can. Two
 * threads take the two halves of most values, so what has its middle in common with what lay there before is written by
 * the thread whose core has the lines in its cache. Places are whole cache lines.
 */
final class ArenaPlanner {
    private static final class Stretch {
        final int key;
        final long size;
        final int first;
        final int last;
        /** Where it begins, once it is placed. */
        long at;

        Stretch(int key, long size, int first, int last) {
            this.key = key;
            this.size = size;
            this.first = first;
            this.last = last;
        }

        boolean livesWith(Stretch other) {
            return first <= other.last && other.first <= last;
        }
    }

    private final int elementBytes;
    private final List<Stretch> stretches = new ArrayList<>();
    private final List<Stretch> placed = new ArrayList<>();
    private final Map<Integer, Stretch> byKey = new HashMap<>();
    private long size;

    ArenaPlanner(int elementBytes) {
        this.elementBytes = elementBytes;
    }

    /** @param last the last step that needs it, as {@code first} the first */
    void add(int key, int size, int first, int last) {
        int line = CacheLines.BYTES / elementBytes;
        Stretch stretch = new Stretch(key, ((long) size + line - 1) / line * line, first, last);
        stretches.add(stretch);
        byKey.put(key, stretch);
    }

    void plan() {
        stretches.sort((a, b) -> a.size != b.size ? Long.compare(b.size, a.size) : Integer.compare(a.first, b.first));
        lay(false);
        long least = size;
        lay(true);
        if (size > least) {
            lay(false);
        }
    }

    private void lay(boolean middles) {
        placed.clear();
        size = 0;
        for (Stretch stretch : stretches) {
            long middle = middle(stretch);
            long at = middles && fits(stretch, middle) ? middle : firstFit(stretch);
            stretch.at = at;
            placed.add(rank(at), stretch);
            size = Math.max(size, at + stretch.size);
        }
    }

    /** How many begin before a place; they are in the order of their places. */
    private int rank(long at) {
        int low = 0;
        int high = placed.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (placed.get(middle).at < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Where a stretch begins whose middle is that of the largest. */
    private long middle(Stretch stretch) {
        int line = CacheLines.BYTES / elementBytes;
        return (stretches.get(0).size - stretch.size) / 2 / line * line;
    }

    private boolean fits(Stretch stretch, long at) {
        for (Stretch other : placed) {
            if (other.at >= at + stretch.size) {
                break;
            }
            if (at < other.at + other.size && other.livesWith(stretch)) {
                return false;
            }
        }
        return true;
    }

    private long firstFit(Stretch stretch) {
        long at = 0;
        for (Stretch other : placed) {
            if (other.at >= at + stretch.size) {
                break;
            }
            if (other.livesWith(stretch)) {
                at = Math.max(at, other.at + other.size);
            }
        }
        return at;
    }

    /** Where a stretch begins, in elements; -1 if there is no such. */
    int offset(int key) {
        Stretch stretch = byKey.get(key);
        return stretch == null ? -1 : (int) Math.min(stretch.at, Integer.MAX_VALUE);
    }

    /** Elements of the array. */
    long size() {
        return size;
    }
}
