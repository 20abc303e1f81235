package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A structure of C that is laid out; the classes that are written from kernels.table know its fields. */
abstract class NativeStruct {
    private final ByteBuffer bytes;
    /** A bit for each field. */
    private final int fields;

    private final List<NativeMemory> pointees = new ArrayList<>();
    private int set;

    /**
     * @param size in bytes
     * @param fields how many there are, all of which are to be set
     */
    NativeStruct(int size, int fields) {
        bytes = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
        this.fields = -1 >>> Integer.SIZE - fields;
    }

    /** One of two numbers, by the size of pointers. */
    static int wideOrNarrow(int wide, int narrow) {
        return NativeLibrary.POINTER_BYTES == Long.BYTES ? wide : narrow;
    }

    final void set(int field, int at, int value) {
        set |= 1 << field;
        bytes.putInt(at, value);
    }

    final void set(int field, int at, long value) {
        set |= 1 << field;
        bytes.putLong(at, value);
    }

    final void set(int field, int at, float value) {
        set |= 1 << field;
        bytes.putFloat(at, value);
    }

    /** @param value what the field points to, which lives as long as the structure; null is a pointer too */
    final void set(int field, int at, NativeMemory value) {
        set |= 1 << field;
        long address = NativeMemory.address(value);
        if (NativeLibrary.POINTER_BYTES == Long.BYTES) {
            bytes.putLong(at, address);
        } else {
            bytes.putInt(at, (int) address);
        }
        if (value != null) {
            pointees.add(value);
        }
    }

    final void set(int field, int at, NativeStruct value) {
        value.requireWhole();
        set |= 1 << field;
        System.arraycopy(value.bytes.array(), 0, bytes.array(), at, value.bytes.capacity());
        pointees.addAll(value.pointees);
    }

    final void set(int field, int at, int count, byte value) {
        set |= 1 << field;
        Arrays.fill(bytes.array(), at, at + count, value);
    }

    final void set(int field, int at, int count, short value) {
        set |= 1 << field;
        for (int i = 0; i < count; i++) {
            bytes.putShort(at + Short.BYTES * i, value);
        }
    }

    /** The structure as it is now, in memory of its own. */
    final NativeMemory memory() {
        return memory(this);
    }

    /** Structures of one kind, one behind the other. */
    static NativeMemory memory(NativeStruct... structs) {
        int size = structs[0].bytes.capacity();
        List<NativeMemory> pointees = new ArrayList<>();
        for (NativeStruct struct : structs) {
            pointees.addAll(struct.pointees);
        }
        NativeMemory memory = new NativeMemory((long) size * structs.length, pointees.toArray(new NativeMemory[0]));
        ByteBuffer target = memory.bytes().duplicate();
        for (NativeStruct struct : structs) {
            struct.requireWhole();
            target.put(struct.bytes.array());
        }
        return memory;
    }

    /** Writes the structure, which points to nothing, to memory that is there, and makes no garbage. */
    final void write(NativeMemory memory) {
        requireWhole();
        ByteBuffer target = memory.bytes();
        for (int i = 0; i < bytes.capacity(); i += Integer.BYTES) {
            target.putInt(i, bytes.getInt(i));
        }
    }

    private void requireWhole() {
        if (set != fields) {
            throw new IllegalStateException(getClass().getSimpleName() + ": field "
                    + Integer.numberOfTrailingZeros(fields & ~set) + " of " + Integer.bitCount(fields)
                    + " has no value (expected: all of them are set)");
        }
    }
}
