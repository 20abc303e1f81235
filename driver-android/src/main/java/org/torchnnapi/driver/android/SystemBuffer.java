package org.torchnnapi.driver.android;

import java.nio.ByteBuffer;
import java.util.List;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.tensor.platform.Reachability;

/**
 * Memory that the system's runtime knows: what it chose for certain roles, which nobody else reaches; or what it has
 * mapped by a descriptor.
 */
final class SystemBuffer implements DeviceBuffer {
    private static final int READ = 1;
    private static final int READ_AND_WRITE = 3;

    private final SystemDriver owner;
    private final long handle;
    private final long size;
    /** Null where the system chose the memory. */
    private final ByteBuffer host;

    private SystemBuffer(SystemDriver owner, long handle, long size, ByteBuffer host) {
        this.owner = owner;
        this.handle = handle;
        this.size = size;
        this.host = host;
    }

    /** What the system has by a descriptor; null where it refuses: it is then given the mapped bytes. */
    static SystemBuffer imported(SystemDriver owner, int descriptor, long offset, ByteBuffer mapped) {
        int access = mapped.isReadOnly() ? READ : READ_AND_WRITE;
        try {
            long handle = owner.system().made("Memory_createFromFd", mapped.capacity(), access, descriptor, offset);
            return new SystemBuffer(owner, handle, mapped.capacity(), mapped);
        } catch (NnapiException refused) {
            return null;
        }
    }

    /** What the system chooses for programs of its device; null where it refuses. */
    static SystemBuffer allocated(SystemDriver owner, OperandDescriptor operand, List<MemoryRole> roles) {
        SystemLibrary system = owner.system();
        long description = 0;
        try {
            description = system.made("MemoryDesc_create");
            for (MemoryRole role : roles) {
                system.mustWithFloat(
                        role.input() ? "MemoryDesc_addInputRole" : "MemoryDesc_addOutputRole",
                        role.frequency(),
                        description,
                        ((SystemProgram) role.model()).compilation(),
                        role.position());
            }
            if (operand.rank() > 0) {
                ForeignMemory dimensions = ForeignMemory.of(operand.dimensions());
                system.must("MemoryDesc_setDimensions", description, operand.rank(), dimensions.address());
                Reachability.fence(dimensions);
            }
            system.must("MemoryDesc_finish", description);
            return new SystemBuffer(
                    owner, system.made("Memory_createFromDesc", description), operand.byteCount(), null);
        } catch (NnapiException refused) {
            return null;
        } finally {
            if (description != 0) {
                system.call("MemoryDesc_free", description);
            }
        }
    }

    long handle() {
        return handle;
    }

    @Override
    public Driver owner() {
        return owner;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public ByteBuffer host() {
        return host;
    }

    @Override
    public void read(ByteBuffer to) {
        if (host != null) {
            to.put(Buffers.slice(host, 0, to.remaining()));
            return;
        }
        try (SharedBytes shared = new SharedBytes(size)) {
            copy(handle, shared, false);
            to.put(Buffers.slice(shared.bytes(), 0, to.remaining()));
        }
    }

    @Override
    public void write(ByteBuffer from) {
        if (host != null) {
            Buffers.whole(host).put(from);
            return;
        }
        try (SharedBytes shared = new SharedBytes(size)) {
            shared.bytes().put(from);
            copy(handle, shared, true);
        }
    }

    private void copy(long own, SharedBytes shared, boolean in) {
        SystemLibrary system = owner.system();
        long other = system.made("Memory_createFromFd", size, READ_AND_WRITE, shared.descriptor(), 0);
        try {
            system.must("Memory_copy", in ? other : own, in ? own : other);
        } finally {
            system.call("Memory_free", other);
        }
    }

    @Override
    public boolean copyTo(DeviceBuffer other) {
        return other instanceof SystemBuffer to && (int) owner.system().call("Memory_copy", handle, to.handle) == 0;
    }

    @Override
    public void close() {
        owner.system().call("Memory_free", handle);
    }
}
