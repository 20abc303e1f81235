package org.torchnnapi.driver.android;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Memory outside the heap that C functions read and write, as long as this object is kept. */
final class ForeignMemory {
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

    /** Text that ends with a zero. */
    static ForeignMemory of(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        ForeignMemory memory = new ForeignMemory(utf8.length + 1);
        memory.bytes.duplicate().put(utf8);
        return memory;
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

    void putLong(int at, long value) {
        bytes.putLong(at, value);
    }
}
