package org.torchnnapi.driver.android;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.tensor.platform.Buffers;

/** Memory behind a descriptor that the system's device reads and writes where it is; this process has it mapped as well. */
final class SystemBuffer implements DeviceBuffer {
    private static final int READ = 1;
    private static final int READ_AND_WRITE = 3;

    private final SystemDriver owner;
    private final long handle;
    private final ByteBuffer host;

    private SystemBuffer(SystemDriver owner, long handle, ByteBuffer host) {
        this.owner = owner;
        this.handle = handle;
        this.host = host;
    }

    /** Null where the system or this process cannot map it; the runtime then does as it would without. */
    static SystemBuffer of(SystemDriver owner, int descriptor, long offset, long size, boolean writable) {
        if (size > Integer.MAX_VALUE) {
            return null;
        }
        ByteBuffer host;
        try (FileChannel file = writable ? FileChannel.open(Paths.get("/proc/self/fd/" + descriptor), StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(Paths.get("/proc/self/fd/" + descriptor), StandardOpenOption.READ)) {
            // A range behind the end would be refused by no one before it is touched.
            if (offset + size > file.size()) {
                return null;
            }
            host = file.map(writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY, offset, size).order(ByteOrder.LITTLE_ENDIAN);
        } catch (IOException noFile) {
            return null;
        }
        try {
            return new SystemBuffer(owner, owner.system().made("Memory_createFromFd", size, writable ? READ_AND_WRITE : READ, descriptor, offset), host);
        } catch (NnapiException refused) {
            return null;
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
        return host.capacity();
    }

    @Override
    public ByteBuffer host() {
        return host;
    }

    @Override
    public void read(ByteBuffer to) {
        to.put(Buffers.slice(host, 0, to.remaining()));
    }

    @Override
    public void write(ByteBuffer from) {
        Buffers.whole(host).put(from);
    }

    @Override
    public void close() {
        owner.system().call("Memory_free", handle);
    }
}
