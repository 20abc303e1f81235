package org.torchnnapi.nnapi.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Memory that constants, inputs and outputs can be taken from by offset and length, so that they need not be copied. From a
 * buffer, a file, or, see {@link MemoryDescription}, chosen by the runtime for certain roles.
 */
public abstract class Memory implements AutoCloseable {
    private volatile boolean closed;
    private int holders;

    Memory() {
    }

    /** Memory that is a buffer's bytes from position to limit; not copied. */
    public static Memory ofBuffer(ByteBuffer buffer) {
        return new Plain(buffer.slice());
    }

    /**
     * Memory that is a part of a file; writes go to the file if it is writable.
     *
     * @throws NnapiException UNMAPPABLE if the file cannot be mapped, BAD_DATA if the range is not within it
     */
    public static Memory ofFile(Path file, long offset, long size, boolean writable) {
        try (FileChannel channel = writable ? FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(file, StandardOpenOption.READ)) {
            if (offset < 0 || size <= 0 || size > Integer.MAX_VALUE || offset > channel.size() - size) {
                throw new NnapiException(ResultCode.BAD_DATA,
                        "bytes " + offset + " to " + (offset + size) + " of a file of " + channel.size() + " (expected: within the file)");
            }
            return new Plain(channel.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, offset, size));
        } catch (IOException e) {
            throw new NnapiException(ResultCode.UNMAPPABLE, "file " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Memory behind a file descriptor, for a device to use in place if it can; else it is mapped.
     *
     * @param device whose driver is asked to import it, or null
     * @param descriptor of a file, or of memory that can be mapped; stays the caller's, who may close it afterwards
     * @throws NnapiException UNMAPPABLE if neither can be done, BAD_DATA if the range is not within it
     */
    public static Memory ofDescriptor(Device device, int descriptor, long offset, long size, boolean writable) {
        DeviceBuffer imported = device == null ? null : device.driver().importMemory(descriptor, offset, size, writable);
        return imported == null ? ofFile(Paths.get("/proc/self/fd/" + descriptor), offset, size, writable) : new Owned(imported);
    }

    /** Bytes of the memory. */
    public abstract long size();

    /** All bytes, little-endian, at position 0; null where only a device reaches them. */
    abstract ByteBuffer bytes();

    /**
     * A part of the memory, sharing its bytes, little-endian.
     *
     * @throws NnapiException BAD_DATA if the range is not within the memory, BAD_STATE once closed
     */
    public ByteBuffer region(long offset, long length) {
        requireOpen();
        if (offset < 0 || length < 0 || offset > size() - length) {
            throw new NnapiException(ResultCode.BAD_DATA,
                    "bytes " + offset + " to " + (offset + length) + " of a memory of " + size() + " (expected: within the memory)");
        }
        return Buffers.slice(bytes(), (int) offset, (int) length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The shape to use when the memory is input {@code position}. */
    int[] checkInput(Compilation compilation, int position, int[] dimensions) {
        return dimensions;
    }

    void checkOutput(Compilation compilation, int position) {
    }

    void requireInitialized(int position) {
    }

    void written(boolean well, int[] dimensions) {
    }

    /**
     * Copies the whole content. A destination made for roles holds nothing after a copy that fails.
     *
     * @throws NnapiException BAD_DATA if sizes or shapes differ, or the source was never written
     */
    public static void copy(Memory from, Memory to) {
        from.requireOpen();
        to.requireOpen();
        boolean done = false;
        try {
            from.checkCopy(to);
            if (from.size() != to.size()) {
                throw new NnapiException(ResultCode.BAD_DATA, "memory of " + to.size() + " bytes (expected: as the source, " + from.size() + ")");
            }
            transfer(from, to);
            done = true;
        } finally {
            to.copied(done);
        }
    }

    private static void transfer(Memory from, Memory to) {
        DeviceBuffer source = from.whole();
        DeviceBuffer target = to.whole();
        if (source != null && target != null && source.owner() == target.owner() && source.copyTo(target)) {
            return;
        }
        ByteBuffer bytes = from.bytes();
        if (bytes == null) {
            bytes = to.bytes() != null ? to.bytes() : ByteBuffer.allocateDirect(Math.toIntExact(from.size()));
            source.read(bytes.duplicate());
            if (bytes == to.bytes()) {
                return;
            }
        }
        if (to.bytes() == null) {
            target.write(bytes.duplicate());
        } else {
            to.bytes().duplicate().put(bytes.duplicate());
        }
    }

    /** The device's own buffer that is all of this memory, or null. */
    DeviceBuffer whole() {
        return null;
    }

    /** The same where a range is all of it. */
    DeviceBuffer deviceBuffer(long offset, long length) {
        return offset == 0 && (length == 0 || length == size()) ? whole() : null;
    }

    /** An execution uses it, until {@link #letGo}. */
    final synchronized void hold() {
        holders++;
    }

    final void letGo() {
        boolean last;
        synchronized (this) {
            last = --holders == 0 && closed;
        }
        if (last) {
            dispose();
        }
    }

    /** Nobody uses it any more. */
    void dispose() {
    }

    void checkCopy(Memory to) {
    }

    void copied(boolean well) {
    }

    final void requireOpen() {
        if (closed) {
            throw new NnapiException(ResultCode.BAD_STATE, "memory: closed (expected: open)");
        }
    }

    /** Ends the use of this memory; executions and models that hold it keep it alive. */
    @Override
    public void close() {
        boolean last;
        synchronized (this) {
            last = holders == 0 && !closed;
            closed = true;
        }
        if (last) {
            dispose();
        }
    }

    /** What a device has imported. */
    private static final class Owned extends Memory {
        private final DeviceBuffer buffer;

        Owned(DeviceBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public long size() {
            return buffer.size();
        }

        @Override
        ByteBuffer bytes() {
            return buffer.host();
        }

        @Override
        DeviceBuffer whole() {
            return buffer;
        }

        @Override
        public ByteBuffer region(long offset, long length) {
            if (buffer.host() != null) {
                return super.region(offset, length);
            }
            requireOpen();
            if (offset != 0 || length != 0 && length != size()) {
                throw new NnapiException(ResultCode.BAD_DATA, "bytes " + offset + " to " + (offset + length)
                        + " of a memory that only its device reaches (expected: the whole)");
            }
            return ByteBuffer.allocate(0);
        }

        @Override
        void dispose() {
            buffer.close();
        }
    }

    private static final class Plain extends Memory {
        private final ByteBuffer bytes;

        Plain(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public long size() {
            return bytes.capacity();
        }

        @Override
        ByteBuffer bytes() {
            return bytes;
        }
    }
}
