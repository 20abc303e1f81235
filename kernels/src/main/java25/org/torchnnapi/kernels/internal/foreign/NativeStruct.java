package org.torchnnapi.kernels.internal.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Lays out a C structure, field after field, each at its natural alignment. */
final class NativeStruct {
    private final MemorySegment memory;
    private long at;

    NativeStruct(Arena arena, long size) {
        memory = arena.allocate(size, 64);
    }

    NativeStruct pointers(MemorySegment... values) {
        for (MemorySegment value : values) {
            memory.set(ValueLayout.ADDRESS, align(ValueLayout.ADDRESS), value);
        }
        return this;
    }

    NativeStruct longs(long... values) {
        for (long value : values) {
            memory.set(ValueLayout.JAVA_LONG, align(ValueLayout.JAVA_LONG), value);
        }
        return this;
    }

    NativeStruct ints(int... values) {
        for (int value : values) {
            memory.set(ValueLayout.JAVA_INT, align(ValueLayout.JAVA_INT), value);
        }
        return this;
    }

    NativeStruct floats(float... values) {
        for (float value : values) {
            memory.set(ValueLayout.JAVA_FLOAT, align(ValueLayout.JAVA_FLOAT), value);
        }
        return this;
    }

    MemorySegment memory() {
        return memory;
    }

    private long align(ValueLayout layout) {
        long place = (at + layout.byteSize() - 1) / layout.byteSize() * layout.byteSize();
        at = place + layout.byteSize();
        return place;
    }
}
