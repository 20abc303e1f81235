package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Activation;

/** Lays out a C structure, field after field, each at its natural alignment. */
final class NativeStruct {
    private final ByteBuffer fields;
    private final List<NativeMemory> pointees = new ArrayList<>();
    private int at;

    /** @param size at most so many bytes */
    NativeStruct(int size) {
        fields = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }

    /** Pointers; null is one too. */
    NativeStruct pointers(NativeMemory... values) {
        for (NativeMemory value : values) {
            long address = NativeMemory.address(value);
            if (NativeLibrary.POINTER_BYTES == Integer.BYTES) {
                fields.putInt(align(Integer.BYTES), (int) address);
            } else {
                fields.putLong(align(Long.BYTES), address);
            }
        }
        pointees.addAll(Arrays.asList(values));
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
        return floats(activation.clamp().min(), activation.clamp().max())
                .ints(
                        activation.function() == null
                                ? 0
                                : 1 + activation.function().ordinal());
    }

    /** The structure, which keeps what it points to. */
    NativeMemory memory() {
        NativeMemory memory = new NativeMemory(fields.capacity(), pointees.toArray(new NativeMemory[0]));
        memory.bytes().duplicate().put(fields.array());
        return memory;
    }

    private int align(int bytes) {
        int place = (at + bytes - 1) / bytes * bytes;
        at = place + bytes;
        return place;
    }
}
