package org.torchnnapi.kernels.internal.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One thread's buffer for the native float kernels, aligned for vectors; it grows to the largest plan the thread has run and is kept. */
final class FloatScratch {
    private static final ThreadLocal<FloatScratch> OF_THREAD = ThreadLocal.withInitial(FloatScratch::new);
    private static final int ALIGNMENT = 64;

    private MemorySegment memory = MemorySegment.NULL;

    /** At least {@code floats} floats with any content. */
    static MemorySegment get(long floats) {
        if (floats == 0) {
            return MemorySegment.NULL;
        }
        FloatScratch scratch = OF_THREAD.get();
        if (scratch.memory.byteSize() < floats * Float.BYTES) {
            scratch.memory = Arena.ofAuto().allocate(floats * Float.BYTES, ALIGNMENT);
        }
        return scratch.memory;
    }
}
