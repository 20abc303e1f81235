package org.torchnnapi.nnapi.driver;

import java.nio.ByteBuffer;

/**
 * Memory that a device owns. It is given to the executions of its owner as it is; others get a copy, or the bytes where
 * they can be reached.
 */
public interface DeviceBuffer extends AutoCloseable {
    /** The driver that made it. */
    Driver owner();

    /** In bytes. */
    long size();

    /** All bytes where they lie, as long as the buffer is open, or null where this process cannot reach them. */
    default ByteBuffer host() {
        return null;
    }

    /** Copies bytes from the beginning of the buffer, as many as remain in the other. */
    void read(ByteBuffer to);

    /** Copies what remains in another to the beginning of the buffer. */
    void write(ByteBuffer from);

    /**
     * Copies the whole to another buffer of the same owner and size; false if the device cannot, and the bytes must go
     * through memory.
     */
    default boolean copyTo(DeviceBuffer other) {
        return false;
    }

    /** Frees it; no execution uses it any more. */
    @Override
    void close();
}
