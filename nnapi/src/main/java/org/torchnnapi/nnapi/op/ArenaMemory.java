package org.torchnnapi.nnapi.op;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.MemoryLimit;
import org.torchnnapi.tensor.platform.Buffers;

/** The memory of an arena, off the heap, in chunks (see {@link ArenaLayout}). */
public final class ArenaMemory {
    private final long chunk;
    private final ByteBuffer[] chunks;

    /**
     * @param size in bytes, of all chunks
     * @throws NnapiException OUT_OF_MEMORY if there is no room for it, or {@link MemoryLimit} allows no arena so large
     * @throws java.util.concurrent.CancellationException if the thread is interrupted
     */
    public ArenaMemory(long size) {
        this(size, ArenaLayout.CHUNK_BYTES);
    }

    /** @param chunk bytes of each chunk, as the layout had it */
    public ArenaMemory(long size, long chunk) {
        this.chunk = chunk;
        if (!MemoryLimit.allows(size)) {
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY, MemoryLimit.refusal("values between operations or steps", size));
        }
        chunks = new ByteBuffer[Math.toIntExact((size + chunk - 1) / chunk)];
        try {
            for (int i = 0; i < chunks.length; i++) {
                chunks[i] = Buffers.direct((int) Math.min(chunk, size - i * chunk));
            }
        } catch (OutOfMemoryError e) {
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY, "arena: " + size + " bytes (expected: to fit the memory off the heap)");
        }
    }

    /** A place that the layout gave, little-endian. */
    public ByteBuffer slice(long offset, long bytes) {
        if (bytes == 0) {
            return ByteBuffer.allocateDirect(0).order(ByteOrder.LITTLE_ENDIAN);
        }
        return Buffers.slice(chunks[(int) (offset / chunk)], (int) (offset % chunk), (int) bytes)
                .order(ByteOrder.LITTLE_ENDIAN);
    }
}
