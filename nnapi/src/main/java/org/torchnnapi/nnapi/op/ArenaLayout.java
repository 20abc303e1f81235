package org.torchnnapi.nnapi.op;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.nnapi.model.OperandDescriptor;

/**
 * Finds places in an arena for values that live for a while: what is given back is taken again. The arena is as large
 * as it must be; as no buffer is, it lies in chunks, and no value in two of them.
 */
public final class ArenaLayout {
    /** Bounds the search for a gap, so that planning stays linear in the model. */
    private static final int MAX_TRIES = 64;

    /** Leaves room for alignment below the largest buffer there can be. */
    public static final long CHUNK_BYTES = 1L << 30;

    private record Place(long offset, long bytes) {}

    private final int alignment;
    private final long chunk;
    /** Free gaps, end-exclusive, by start. */
    private final TreeMap<Long, Long> gaps = new TreeMap<>();

    private final Map<Integer, List<Place>> endings = new HashMap<>();
    private long size;

    public ArenaLayout(int alignment) {
        this(alignment, CHUNK_BYTES);
    }

    /** @param chunk bytes of each part of the arena, a multiple of the alignment */
    public ArenaLayout(int alignment, long chunk) {
        this.alignment = alignment;
        this.chunk = chunk;
    }

    /** Bytes of a value of known shape. */
    public static long bytes(int[] shape, OperandDescriptor operand) {
        long bytes = operand.elementBytes();
        for (int dimension : shape) {
            bytes *= dimension;
        }
        return bytes;
    }

    /** Whether a value fits a chunk; one that does not needs a buffer of its own. */
    public boolean fits(long bytes) {
        return bytes <= chunk;
    }

    /**
     * Takes {@code bytes}, which fit a chunk, until {@link #release} of step {@code last}; the first gap large enough,
     * else the end.
     */
    public long take(long bytes, int last) {
        if (!fits(bytes)) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: <= " + chunk + ", a chunk)");
        }
        long offset = take(bytes);
        endings.computeIfAbsent(last, k -> new ArrayList<>()).add(new Place(offset, round(bytes)));
        return offset;
    }

    /** Gives back everything taken until this step. */
    public void release(int step) {
        List<Place> places = endings.remove(step);
        if (places != null) {
            for (Place place : places) {
                give(place.offset, place.bytes);
            }
        }
    }

    /** Bytes the whole needs. */
    public long size() {
        return size;
    }

    private long round(long bytes) {
        return Math.max(alignment, (bytes + alignment - 1) / alignment * alignment);
    }

    private long take(long wanted) {
        long bytes = round(wanted);
        int tries = 0;
        for (Map.Entry<Long, Long> gap : gaps.entrySet()) {
            if (gap.getValue() - gap.getKey() >= bytes) {
                long start = gap.getKey();
                long end = gap.getValue();
                gaps.remove(start);
                if (start + bytes < end) {
                    gaps.put(start + bytes, end);
                }
                return start;
            }
            if (++tries == MAX_TRIES) {
                break;
            }
        }
        long left = chunk - size % chunk;
        if (bytes > left) {
            give(size, left);
            size += left;
        }
        long start = size;
        size += bytes;
        return start;
    }

    private void give(long offset, long bytes) {
        long start = offset;
        long end = offset + bytes;
        Map.Entry<Long, Long> before = gaps.floorEntry(start);
        if (before != null && before.getValue() == start && start % chunk != 0) {
            start = before.getKey();
        }
        Long after = end % chunk == 0 ? null : gaps.remove(end);
        gaps.put(start, after == null ? end : after);
    }
}
