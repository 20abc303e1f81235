package org.torchnnapi.kernels.internal.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One thread's working memory for the native kernels; each grows to the largest plan the thread has run and is kept. */
final class ByteScratch {
    private static final ThreadLocal<ByteScratch> OF_THREAD = ThreadLocal.withInitial(ByteScratch::new);
    /** Lines of the caches, and the widest vectors. */
    private static final long ALIGNMENT = 64;

    private MemorySegment work = MemorySegment.NULL;
    private MemorySegment staged = MemorySegment.NULL;
    private MemorySegment between = MemorySegment.NULL;

    static ByteScratch get() {
        return OF_THREAD.get();
    }

    /** What one call of a kernel needs. */
    MemorySegment work(long size) {
        if (work.byteSize() < size) {
            work = Arena.ofAuto().allocate(size, ALIGNMENT);
        }
        return work;
    }

    /** The bytes of an input that a kernel wants in another form. */
    MemorySegment staged(long size) {
        if (staged.byteSize() < size) {
            staged = Arena.ofAuto().allocate(size, ALIGNMENT);
        }
        return staged;
    }

    /** Parts of the images between the stages of a chain. */
    MemorySegment between(long size) {
        if (between.byteSize() < size) {
            between = Arena.ofAuto().allocate(size, ALIGNMENT);
        }
        return between;
    }
}
