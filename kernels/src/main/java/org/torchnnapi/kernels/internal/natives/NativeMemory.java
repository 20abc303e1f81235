package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Memory outside the heap, zero at first, that begins on a cache line; it is freed when nothing refers to this object
 * any more.
 */
final class NativeMemory {
    /** Of lines of memory, and the widest vectors. */
    private static final int ALIGNMENT = 64;
    /** Bytes from which large pages pay. */
    private static final int LARGE = 1 << 14;

    private final ByteBuffer bytes;
    private final long address;
    /** What pointers in this memory point to. */
    private final NativeMemory[] pointees;

    /** @param size in bytes, less than 2^31 */
    NativeMemory(long size) {
        this(size, new NativeMemory[0]);
    }

    /** Memory that will hold pointers to others, which live as long as it does. */
    NativeMemory(long size, NativeMemory... pointees) {
        int count = Math.toIntExact(size);
        ByteBuffer whole = Buffers.direct(Math.addExact(count, ALIGNMENT));
        long start = NativeLibrary.address(whole);
        int shift = (int) (-start & ALIGNMENT - 1);
        bytes = Buffers.slice(whole, shift, count).order(ByteOrder.nativeOrder());
        address = start + shift;
        this.pointees = pointees;
    }

    private NativeMemory(ByteBuffer bytes) {
        this.bytes = bytes.order(ByteOrder.nativeOrder());
        address = NativeLibrary.address(bytes);
        pointees = new NativeMemory[0];
    }

    /**
     * Memory for what stays as long as its model does, such as weights: in large pages where it is much and the system
     * has such.
     */
    static NativeMemory lasting(long size) {
        ByteBuffer large = size < LARGE ? null : LargePages.allocate(Math.toIntExact(size));
        return large == null ? new NativeMemory(size) : new NativeMemory(large);
    }

    static NativeMemory copyOf(byte[] values) {
        NativeMemory memory = lasting(values.length);
        memory.bytes.duplicate().put(values);
        return memory;
    }

    static NativeMemory copyOf(int... values) {
        NativeMemory memory = new NativeMemory(Math.multiplyExact(Integer.BYTES, (long) values.length));
        memory.bytes.asIntBuffer().put(values);
        return memory;
    }

    static NativeMemory copyOf(float... values) {
        NativeMemory memory = lasting(Math.multiplyExact(Float.BYTES, (long) values.length));
        memory.bytes.asFloatBuffer().put(values);
        return memory;
    }

    /** The address of memory or, where there is none, 0. */
    static long address(NativeMemory memory) {
        return memory == null ? 0 : memory.address;
    }

    int size() {
        return bytes.capacity();
    }

    /** All of it, in the order of bytes that C has here. */
    ByteBuffer bytes() {
        return bytes;
    }
}
