package org.torchnnapi.c;

import java.nio.ByteBuffer;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Memory;

/**
 * Memory: pages that the library has mapped, a hardware buffer, or what the runtime chose for certain roles. Pages stay
 * mapped, and a descriptor of them open, for as long as a model or an execution uses them.
 */
final class MemoryHandle extends Handle {
    /** Of mapped memory, the first byte that the caller asked for; 0 if the memory's bytes cannot be reached. */
    private final long address;

    private final long size;
    private final boolean writable;
    /** What to unmap: whole pages. */
    private final long mapping;

    private final long mapped;
    private final long hardwareBuffer;
    /** What the runtime chose; else null. */
    private final Memory chosen;
    /**
     * Mapped pages, whose descriptor devices may import; null where there are more than Java sees at once, or no second
     * descriptor was to be had.
     */
    private Memory described;

    private int descriptor = -1;

    private MemoryHandle(
            long address, long size, boolean writable, long mapping, long mapped, long hardwareBuffer, Memory chosen) {
        this.address = address;
        this.size = size;
        this.writable = writable;
        this.mapping = mapping;
        this.mapped = mapped;
        this.hardwareBuffer = hardwareBuffer;
        this.chosen = chosen;
    }

    /**
     * Mapped pages, which this handle owns from now on, also where it answers a code.
     *
     * @param descriptor of what is mapped, which stays the caller's
     * @param offset of the first byte in what the descriptor stands for
     */
    static long ofPages(
            long mapping, long mapped, long address, long size, boolean writable, int descriptor, long offset) {
        try {
            MemoryHandle handle = new MemoryHandle(address, size, writable, mapping, mapped, 0, null);
            handle.descriptor = size > Integer.MAX_VALUE ? -1 : Native.duplicate(descriptor);
            handle.described = handle.descriptor < 0
                    ? null
                    : Memory.ofDescriptor(handle.descriptor, offset, handle.bytes(0, size));
            return handle.id;
        } catch (Throwable e) {
            Native.unmap(mapping, mapped);
            return Answer.negative(e);
        }
    }

    /**
     * A hardware buffer, which this handle owns from now on; address and size are 0 where its bytes have a layout that
     * only devices know.
     */
    static long ofHardwareBuffer(long hardwareBuffer, long address, long size) {
        try {
            return new MemoryHandle(address, size, true, 0, 0, hardwareBuffer, null).id;
        } catch (Throwable e) {
            Native.releaseHardwareBuffer(hardwareBuffer);
            return Answer.negative(e);
        }
    }

    static long ofDescription(long descriptionId) {
        try {
            return new MemoryHandle(
                            0,
                            0,
                            true,
                            0,
                            0,
                            0,
                            get(descriptionId, MemoryDescHandle.class).createMemory())
                    .id;
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    static void free(long id) {
        MemoryHandle handle = find(id, MemoryHandle.class);
        if (handle != null) {
            handle.free();
        }
    }

    @Override
    void dispose() {
        if (described != null) {
            described.close();
            Native.close(descriptor);
        }
        if (mapped != 0) {
            Native.unmap(mapping, mapped);
        }
        if (hardwareBuffer != 0) {
            Native.releaseHardwareBuffer(hardwareBuffer);
        }
        if (chosen != null) {
            chosen.close();
        }
    }

    static int copy(long fromId, long toId) {
        try {
            MemoryHandle from = get(fromId, MemoryHandle.class);
            MemoryHandle to = get(toId, MemoryHandle.class);
            if (from != to) {
                if (!to.writable) {
                    throw Answer.bad("memory: mapped for reading (expected: also for writing)");
                }
                Memory.copy(from.memory(), to.memory());
            }
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    private Memory memory() {
        if (chosen != null) {
            return chosen;
        }
        return described != null ? described : Memory.ofBuffer(bytes(0, size));
    }

    /** Mapped pages that devices may import, or null where the memory is bytes alone. */
    Memory described() {
        return described;
    }

    /** What the runtime chose, or null where the memory is bytes. */
    Memory chosen() {
        return chosen;
    }

    /** A model's constant. */
    ByteBuffer constant(long offset, long length) {
        if (chosen != null || address == 0) {
            throw Answer.bad("memory: of certain roles (expected: plain bytes for a constant)");
        }
        return bytes(offset, length);
    }

    /** The bytes from offset on, read-only where they were mapped so. */
    ByteBuffer bytes(long offset, long length) {
        if (address == 0) {
            if (offset != 0 || length != 0) {
                throw Answer.bad("offset " + offset + ", length " + length
                        + " of a hardware buffer in a layout of its own (expected: 0, 0: the whole)");
            }
            throw new NnapiException(
                    ResultCode.UNMAPPABLE,
                    "hardware buffer: in a layout that its devices know (expected: the format BLOB)");
        }
        if (offset < 0 || length <= 0 || offset > size - length || length > Integer.MAX_VALUE) {
            throw Answer.bad("bytes " + offset + " to " + (offset + length) + " of a memory of " + size
                    + " (expected: within it, at most 2 GiB)");
        }
        ByteBuffer bytes = Native.buffer(address + offset, length);
        return writable ? bytes : bytes.asReadOnlyBuffer();
    }
}
