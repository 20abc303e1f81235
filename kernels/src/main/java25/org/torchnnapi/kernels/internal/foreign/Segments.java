package org.torchnnapi.kernels.internal.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;

/**
 * The segments of the arrays that kernels were last called with. A segment made for each call is garbage, since it escapes into native
 * code; programs work in the same few arrays all the time. What nobody uses any more is let go with the next collection.
 */
final class Segments {
    private static final int SLOTS = 1024;
    /** Slots from an array's own on that may hold its segment. */
    private static final int PROBES = 8;
    private static final long ALIGNMENT = 64;

    private static final Kept[] KEPT = new Kept[SLOTS];

    private static final class Kept extends WeakReference<MemorySegment> {
        private final WeakReference<Object> array;

        Kept(MemorySegment segment, Object array) {
            super(segment);
            this.array = new WeakReference<>(array);
        }
    }

    private Segments() {
    }

    static MemorySegment ofArray(float[] array) {
        MemorySegment kept = find(array);
        return kept != null ? kept : keep(MemorySegment.ofArray(array), array);
    }

    static MemorySegment ofArray(byte[] array) {
        MemorySegment kept = find(array);
        return kept != null ? kept : keep(MemorySegment.ofArray(array), array);
    }

    /** Memory of an arena with the values, where the widest vectors may be read. */
    static MemorySegment copied(int[] values, Arena arena) {
        MemorySegment segment = arena.allocate(Math.max(4L * values.length, 4), ALIGNMENT);
        MemorySegment.copy(values, 0, segment, ValueLayout.JAVA_INT, 0, values.length);
        return segment;
    }

    static MemorySegment copied(float[] values, Arena arena) {
        MemorySegment segment = arena.allocate(Math.max(4L * values.length, 4), ALIGNMENT);
        MemorySegment.copy(values, 0, segment, ValueLayout.JAVA_FLOAT, 0, values.length);
        return segment;
    }

    /** A race may miss what another thread has just put there, or find it, which is as good: a slot's content never changes. */
    private static MemorySegment find(Object array) {
        int first = System.identityHashCode(array);
        for (int i = 0; i < PROBES; i++) {
            Kept kept = KEPT[first + i & SLOTS - 1];
            if (kept != null && kept.array.refersTo(array)) {
                return kept.get();
            }
        }
        return null;
    }

    private static MemorySegment keep(MemorySegment segment, Object array) {
        int first = System.identityHashCode(array);
        int free = first & SLOTS - 1;
        for (int i = 0; i < PROBES; i++) {
            Kept kept = KEPT[first + i & SLOTS - 1];
            if (kept == null || kept.refersTo(null) || kept.array.refersTo(array)) {
                free = first + i & SLOTS - 1;
                break;
            }
        }
        KEPT[free] = new Kept(segment, array);
        return segment;
    }
}
