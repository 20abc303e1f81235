package org.torchnnapi.torchscript.archive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.torchnnapi.tensor.platform.Buffers;
import org.torchnnapi.torchscript.format.ArchiveException;

/**
 * The bytes of an archive, addressed by 64-bit offsets. A file is memory-mapped in windows that overlap by half, so
 * that every piece up to 1 GiB lies in one window.
 */
final class ByteSource {
    private static final long STEP = 1L << 30;

    private final ByteBuffer[] windows;
    private final long size;
    private final boolean mapped;

    private ByteSource(ByteBuffer[] windows, long size, boolean mapped) {
        this.windows = windows;
        this.size = size;
        this.mapped = mapped;
    }

    /** The remaining bytes of a buffer, not copied. */
    static ByteSource of(ByteBuffer bytes) {
        ByteBuffer view = bytes.slice().asReadOnlyBuffer();
        return new ByteSource(new ByteBuffer[] {view}, view.remaining(), false);
    }

    /** Maps a file; the mapping lives as long as something refers to it. */
    static ByteSource map(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = channel.size();
            int count = (int) Math.max(1, (size - 1) / STEP);
            ByteBuffer[] windows = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                long start = i * STEP;
                windows[i] =
                        channel.map(FileChannel.MapMode.READ_ONLY, start, Math.min(size - start, Integer.MAX_VALUE));
            }
            return new ByteSource(windows, size, true);
        }
    }

    long size() {
        return size;
    }

    /** Whether this is a file; a direct buffer that somebody else made is not. */
    boolean isMapped() {
        return mapped;
    }

    List<ByteBuffer> mappings() {
        return mapped ? List.of(windows) : List.of();
    }

    /**
     * A little-endian, read-only view.
     *
     * @throws ArchiveException if it is not inside the source, or too long for one buffer
     */
    ByteBuffer slice(long offset, long length) {
        ByteBuffer window = window(offset, length);
        return Buffers.slice(window, placeIn(offset), (int) length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Reads the first {@code length} bytes of an array.
     *
     * @throws ArchiveException if they are not inside the source
     */
    void read(long offset, byte[] to, int length) {
        Buffers.get(window(offset, length), placeIn(offset), to, 0, length);
    }

    private int windowOf(long offset) {
        return (int) Math.min(offset / STEP, windows.length - 1);
    }

    private int placeIn(long offset) {
        return (int) (offset - windowOf(offset) * STEP);
    }

    private ByteBuffer window(long offset, long length) {
        if (offset < 0 || length < 0 || offset > size - length) {
            throw new ArchiveException("archive: bytes " + offset + " to " + (offset + length)
                    + " (expected: within its " + size + " bytes; the file may be truncated, fetch it again)");
        }
        ByteBuffer window = windows[windowOf(offset)];
        if (placeIn(offset) + length > window.limit()) {
            throw new ArchiveException(
                    "archive entry: " + length + " bytes (expected: at most " + STEP + ", what one buffer holds)");
        }
        return window;
    }
}
