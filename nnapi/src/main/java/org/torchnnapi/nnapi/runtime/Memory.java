package org.torchnnapi.nnapi.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Memory that constants, inputs and outputs can be taken from by offset and length, so that they need not be copied.
 * From a buffer, a file, or, see {@link MemoryDescription}, chosen by the runtime for certain roles.
 */
public abstract class Memory implements AutoCloseable {
    private volatile boolean closed;
    private int holders;

    Memory() {}

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
        return new Plain(map(file, offset, size, writable));
    }

    private static ByteBuffer map(Path file, long offset, long size, boolean writable) {
        try (FileChannel channel = writable
                ? FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(file, StandardOpenOption.READ)) {
            if (offset < 0 || size <= 0 || size > Integer.MAX_VALUE || offset > channel.size() - size) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "bytes " + offset + " to " + (offset + size) + " of a file of " + channel.size()
                                + " (expected: within the file)");
            }
            return channel.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, offset, size);
        } catch (IOException e) {
            throw new NnapiException(ResultCode.UNMAPPABLE, "file " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Memory that is a part of what a file descriptor stands for, of which each device that executes with it is offered
     * the descriptor, and can then work on it without a copy. Mapped by the file that the descriptor has open; where it
     * has none, such as with Android's older shared memory, whoever can map it uses {@link #ofDescriptor(int, long,
     * ByteBuffer)}.
     *
     * @param descriptor stays the caller's, open until the memory is closed and no execution uses it
     * @throws NnapiException UNMAPPABLE if it cannot be mapped, BAD_DATA if the range is not within the file
     */
    public static Memory ofDescriptor(int descriptor, long offset, long size, boolean writable) {
        return new Described(descriptor, offset, map(Paths.get("/proc/self/fd/" + descriptor), offset, size, writable));
    }

    /**
     * The same for memory that the caller has mapped.
     *
     * @param descriptor stays the caller's, open until the memory is closed and no execution uses it
     * @param offset of the buffer's bytes in what the descriptor stands for
     * @param mapped from position to limit, read-only where nothing may be written; mapped for as long as the
     *     descriptor is open
     */
    public static Memory ofDescriptor(int descriptor, long offset, ByteBuffer mapped) {
        return new Described(descriptor, offset, mapped.slice());
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
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "bytes " + offset + " to " + (offset + length) + " of a memory of " + size()
                            + " (expected: within the memory)");
        }
        return Buffers.slice(bytes(), (int) offset, (int) length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The shape to use when the memory is input {@code position}. */
    int[] checkInput(Compilation compilation, int position, int[] dimensions) {
        return dimensions;
    }

    /** @param dimensions what is known of the shape that it will get: none, or 0 for each that is not */
    void checkOutput(Compilation compilation, int position, int[] dimensions) {}

    void requireInitialized(int position) {}

    void written(boolean well, int[] dimensions) {}

    /**
     * Copies the whole content. A destination made for roles holds nothing after a copy that fails.
     *
     * @throws NnapiException BAD_DATA if sizes or shapes differ, the source was never written, or the destination is
     *     mapped for reading only
     */
    public static void copy(Memory from, Memory to) {
        from.requireOpen();
        to.requireOpen();
        boolean done = false;
        try {
            from.checkCopy(to);
            if (from.size() != to.size()) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "memory of " + to.size() + " bytes (expected: as the source, " + from.size() + ")");
            }
            if (to.bytes() != null && to.bytes().isReadOnly()) {
                throw new NnapiException(
                        ResultCode.BAD_DATA, "destination: mapped for reading (expected: also for writing)");
            }
            transfer(from, to);
            done = true;
        } finally {
            to.copied(done);
        }
    }

    private static void transfer(Memory from, Memory to) {
        Device device = from.device() != null ? from.device() : to.device();
        DeviceBuffer source = device == null ? null : from.bufferOf(device);
        DeviceBuffer target = device == null ? null : to.bufferOf(device);
        if (source != null && target != null && source.size() == target.size() && source.copyTo(target)) {
            return;
        }
        ByteBuffer bytes = from.bytes();
        if (bytes == null) {
            bytes = to.bytes() != null ? to.bytes() : ByteBuffer.allocateDirect(Math.toIntExact(from.size()));
            from.bufferOf(from.device()).read(bytes.duplicate());
            if (bytes == to.bytes()) {
                return;
            }
        }
        if (to.bytes() == null) {
            to.bufferOf(to.device()).write(bytes.duplicate());
        } else {
            to.bytes().duplicate().put(bytes.duplicate());
        }
    }

    /** The device that made this memory, or null. */
    Device device() {
        return null;
    }

    /** All of this memory as a device has it, or null where it is but bytes to that device. */
    DeviceBuffer bufferOf(Device user) {
        return null;
    }

    /** The same of the device that alone reads an input, or writes an output; null too where several do. */
    DeviceBuffer deviceBuffer(Compilation compilation, boolean input, int position) {
        return null;
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
    void dispose() {}

    void checkCopy(Memory to) {}

    void copied(boolean well) {}

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

    /** Mapped bytes whose descriptor devices may import; each is asked when it is first to use them. */
    private static final class Described extends Plain {
        private final int descriptor;
        private final long offset;
        /** By device that was asked, what it made of the descriptor, or null. */
        private final Map<Device, DeviceBuffer> imports = new HashMap<>();

        Described(int descriptor, long offset, ByteBuffer mapped) {
            super(mapped);
            this.descriptor = descriptor;
            this.offset = offset;
        }

        @Override
        synchronized DeviceBuffer bufferOf(Device user) {
            requireOpen();
            if (!imports.containsKey(user)) {
                imports.put(user, importedBy(user));
            }
            return imports.get(user);
        }

        private DeviceBuffer importedBy(Device user) {
            try {
                return user.driver()
                        .importMemory(descriptor, offset, bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN));
            } catch (RuntimeException | LinkageError e) {
                user.passed(
                        "failed to import memory of " + size() + " bytes (" + e
                                + "): it reads and writes the runtime's",
                        e);
                return null;
            }
        }

        @Override
        DeviceBuffer deviceBuffer(Compilation compilation, boolean input, int position) {
            Device user = compilation.roleDevice(input, position);
            return user == null ? null : bufferOf(user);
        }

        @Override
        synchronized void dispose() {
            imports.values().stream().filter(Objects::nonNull).forEach(DeviceBuffer::close);
            imports.clear();
        }
    }

    private static class Plain extends Memory {
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
