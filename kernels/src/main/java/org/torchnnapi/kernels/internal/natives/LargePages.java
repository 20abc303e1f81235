package org.torchnnapi.kernels.internal.natives;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.tensor.platform.Cleanup;

/**
 * Memory in large pages, for what is read from beginning to end once an inference: a processor then looks up few pages
 * and fetches ahead without a stop. It is mapped in chunks, each given back as a whole when nothing lies in it any
 * more.
 */
final class LargePages {
    private static final int PAGE = 2 << 20;
    /** The weights of a small network; pages of it that nothing was put into take no memory. */
    private static final int CHUNK = 8 * PAGE;

    private static final int ALIGNMENT = 64;

    /** The chunk with room left, and how much of it is taken. */
    private static WeakReference<ByteBuffer> current = new WeakReference<>(null);

    private static int taken;

    private LargePages() {}

    /** New memory, zero, that begins on a cache line and keeps its chunk; null where the system has no large pages. */
    static synchronized ByteBuffer allocate(int size) {
        ByteBuffer chunk = current.get();
        int at = taken;
        if (chunk == null || chunk.capacity() - at < size) {
            long wanted = Math.max(CHUNK, ((long) size + PAGE - 1) / PAGE * PAGE);
            ByteBuffer mapped = wanted > Integer.MAX_VALUE ? null : map(wanted);
            if (mapped == null) {
                return null;
            }
            if (chunk == null || wanted - size > chunk.capacity() - at) {
                current = new WeakReference<>(mapped);
                taken = up(size);
            }
            return Buffers.slice(mapped, 0, size);
        }
        taken = up(at + size);
        return Buffers.slice(chunk, at, size);
    }

    private static int up(int at) {
        // The end of the largest chunk is a multiple, so this does not overflow.
        return (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private static ByteBuffer map(long size) {
        long address = NativeLibrary.mapPages(size);
        if (address == 0) {
            return null;
        }
        ByteBuffer chunk = NativeLibrary.buffer(address, size);
        Cleanup.after(chunk, () -> NativeLibrary.unmapPages(address, size));
        return chunk;
    }
}
