package org.torchnnapi.driver.cpu;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.torchnnapi.kernels.CacheLines;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Memory of this device: off the heap, from the beginning of a cache line, in which programs read and write where it
 * is.
 */
final class CpuBuffer implements DeviceBuffer {
    private final CpuDriver owner;
    private final ByteBuffer bytes;

    /** @param size in bytes */
    CpuBuffer(CpuDriver owner, long size) {
        this.owner = owner;
        bytes = Buffers.aligned(Math.toIntExact(size), CacheLines.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public Driver owner() {
        return owner;
    }

    @Override
    public long size() {
        return bytes.capacity();
    }

    @Override
    public ByteBuffer host() {
        return bytes;
    }

    @Override
    public void read(ByteBuffer to) {
        to.put(Buffers.slice(bytes, 0, to.remaining()));
    }

    @Override
    public void write(ByteBuffer from) {
        Buffers.whole(bytes).put(from);
    }

    /** Freed with the last reference to it. */
    @Override
    public void close() {}
}
