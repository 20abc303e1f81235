package org.torchnnapi.kernels;

import java.nio.ByteBuffer;

/** Pages of mapped files, which count as this process's memory from when they are first read. */
public final class MappedPages {
    private MappedPages() {
    }

    /**
     * Gives the whole pages of a buffer, all of its capacity, back to the system, which reads them from the file again where they are
     * needed. Where the system or the kernels cannot do that, they stay.
     *
     * @param mapped of a file that is mapped for reading. Other memory would lose what it holds.
     * @throws IllegalArgumentException if the buffer is not direct, or not read-only
     */
    public static void release(ByteBuffer mapped) {
        if (!mapped.isDirect() || !mapped.isReadOnly()) {
            throw new IllegalArgumentException("buffer: " + mapped + " (expected: direct and read-only, of a mapped file)");
        }
        Kernels.elements().release(mapped);
    }
}
