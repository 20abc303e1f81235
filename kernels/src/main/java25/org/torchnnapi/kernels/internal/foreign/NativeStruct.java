package org.torchnnapi.kernels.internal.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.torchnnapi.kernels.Activation;

/**
 * Lays out a C structure, field after field, each at its natural alignment. It is written through a buffer, since the first use of each
 * value layout of a segment takes milliseconds.
 */
final class NativeStruct {
    private final MemorySegment memory;
    private final ByteBuffer fields;
    private int at;

    NativeStruct(Arena arena, long size) {
        memory = arena.allocate(size, 64);
        fields = memory.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    NativeStruct pointers(MemorySegment... values) {
        for (MemorySegment value : values) {
            fields.putLong(align(Long.BYTES), value.address());
        }
        return this;
    }

    NativeStruct longs(long... values) {
        for (long value : values) {
            fields.putLong(align(Long.BYTES), value);
        }
        return this;
    }

    NativeStruct ints(int... values) {
        for (int value : values) {
            fields.putInt(align(Integer.BYTES), value);
        }
        return this;
    }

    NativeStruct floats(float... values) {
        for (float value : values) {
            fields.putFloat(align(Float.BYTES), value);
        }
        return this;
    }

    /** As float.h has it. */
    NativeStruct activation(Activation activation) {
        return floats(activation.clamp().min(), activation.clamp().max()).ints(activation.isHardSwish() ? 1 : 0);
    }

    MemorySegment memory() {
        return memory;
    }

    private int align(int bytes) {
        int place = (at + bytes - 1) / bytes * bytes;
        at = place + bytes;
        return place;
    }
}
