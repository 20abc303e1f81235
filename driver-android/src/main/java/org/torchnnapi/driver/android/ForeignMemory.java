package org.torchnnapi.driver.android;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Memory outside the heap that C functions read and write, as long as this object is kept. */
final class ForeignMemory {
    /** Bytes of a pointer or a size. */
    static final int WORD = NativeCalls.wordBytes();

    private static final int ALIGNMENT = 64;

    private final ByteBuffer bytes;
    private final long address;

    ForeignMemory(int size) {
        ByteBuffer all = ByteBuffer.allocateDirect(size + ALIGNMENT);
        int shift = (int) (-NativeCalls.address(all) & ALIGNMENT - 1);
        ((Buffer) all).position(shift);
        ((Buffer) all).limit(shift + size);
        bytes = all.slice().order(ByteOrder.nativeOrder());
        address = NativeCalls.address(bytes);
    }

    static ForeignMemory of(int... values) {
        ForeignMemory memory = new ForeignMemory(Math.max(1, Integer.BYTES * values.length));
        memory.bytes.asIntBuffer().put(values);
        return memory;
    }

    static ForeignMemory of(byte[] values) {
        ForeignMemory memory = new ForeignMemory(Math.max(1, values.length));
        memory.bytes.duplicate().put(values);
        return memory;
    }

    /** Text that ends with a zero. */
    static ForeignMemory of(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return of(Arrays.copyOf(utf8, utf8.length + 1));
    }

    /** The text at an address, "" at 0. */
    static String text(long address) {
        if (address == 0) {
            return "";
        }
        byte[] utf8 = new byte[Math.toIntExact(NativeCalls.length(address))];
        NativeCalls.buffer(address, utf8.length).get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    long address() {
        return address;
    }

    int size() {
        return bytes.capacity();
    }

    /** All of it in the processor's byte order, at position 0. */
    ByteBuffer bytes() {
        return bytes.duplicate().order(ByteOrder.nativeOrder());
    }

    int getInt(int at) {
        return bytes.getInt(at);
    }

    long getLong(int at) {
        return bytes.getLong(at);
    }

    void putInt(int at, int value) {
        bytes.putInt(at, value);
    }

    /** A pointer. */
    long getWord(int at) {
        return WORD == Long.BYTES ? bytes.getLong(at) : Integer.toUnsignedLong(bytes.getInt(at));
    }

    void putWord(int at, long value) {
        if (WORD == Long.BYTES) {
            bytes.putLong(at, value);
        } else {
            bytes.putInt(at, (int) value);
        }
    }
}
