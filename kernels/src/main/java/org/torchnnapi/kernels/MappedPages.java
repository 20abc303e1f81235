package org.torchnnapi.kernels;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.internal.ElementKernels;

/** Pages of mapped files, which count as this process's memory from when they are first read. */
public final class MappedPages {
    private static final List<WeakReference<ByteBuffer>> FILES = new ArrayList<>();

    private MappedPages() {}

    /**
     * Tells of a file whose pages may be released.
     *
     * @param mapped for reading
     * @throws IllegalArgumentException if the buffer is not direct, or not read-only
     */
    public static void add(ByteBuffer mapped) {
        if (!mapped.isDirect() || !mapped.isReadOnly()) {
            throw new IllegalArgumentException(
                    "buffer: " + mapped + " (expected: direct and read-only, of a mapped file)");
        }
        synchronized (FILES) {
            FILES.removeIf(file -> file.get() == null);
            FILES.add(new WeakReference<>(mapped));
        }
    }

    /**
     * Gives the whole pages of a buffer, all of its capacity, back to the system, which reads them from the file again
     * where they are needed. Memory of no file that was {@linkplain #add added} stays, as it would be lost; and so does
     * all where the system or the kernels cannot give it back.
     */
    public static void release(ByteBuffer part) {
        ElementKernels kernels = Kernels.elements();
        long at = part.isDirect() ? kernels.address(part) : 0;
        if (at != 0 && isMapped(kernels, at, part.capacity())) {
            kernels.release(part);
        }
    }

    private static boolean isMapped(ElementKernels kernels, long at, int size) {
        synchronized (FILES) {
            for (WeakReference<ByteBuffer> reference : FILES) {
                ByteBuffer file = reference.get();
                long start = file == null ? 0 : kernels.address(file);
                if (start != 0 && at >= start && at + size <= start + file.capacity()) {
                    return true;
                }
            }
        }
        return false;
    }
}
