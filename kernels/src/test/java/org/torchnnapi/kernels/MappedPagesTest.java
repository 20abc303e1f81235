package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

// Others' plans, or pages, would be counted as well.
@Isolated
class MappedPagesTest {
    private static final int BYTES = 24 << 20;

    @TempDir
    Path folder;

    @Test
    void releasedPagesAreReadAgain() throws IOException {
        ByteBuffer mapped = mapped();
        long sum = sum(mapped);
        ByteBuffer part = mapped.slice(5000, BYTES - 9001);
        MappedPages.release(part);
        assertEquals(sum, sum(mapped));
    }

    @Test
    void releasedPagesAreNoLongerResident() throws IOException {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && Kernels.describe().get(2).contains("native"),
                "only native kernels on Linux do it");
        ByteBuffer mapped = mapped();
        sum(mapped);
        long before = residentFileKilobytes();
        MappedPages.release(mapped);
        long given = before - residentFileKilobytes();
        assertEquals(BYTES >> 10, given, 4096, "KiB given back");
    }

    @Test
    void refusesOtherMemory() {
        assertThrows(IllegalArgumentException.class, () -> MappedPages.add(ByteBuffer.allocateDirect(4)));
        assertThrows(
                IllegalArgumentException.class,
                () -> MappedPages.add(ByteBuffer.allocate(4).asReadOnlyBuffer()));
    }

    @Test
    void leavesOtherMemoryAlone() throws IOException {
        mapped();
        ByteBuffer other = ByteBuffer.allocateDirect(BYTES);
        for (int i = 0; i < BYTES; i++) {
            other.put(i, (byte) (i / 7));
        }
        long sum = sum(other);
        MappedPages.release(other.asReadOnlyBuffer());
        MappedPages.release(ByteBuffer.allocate(BYTES));
        assertEquals(sum, sum(other));
    }

    private ByteBuffer mapped() throws IOException {
        byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i += 100) {
            bytes[i] = (byte) (i / 100);
        }
        Path file = Files.write(folder.resolve("file"), bytes);
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, BYTES);
            MappedPages.add(mapped);
            return mapped;
        }
    }

    private static long sum(ByteBuffer bytes) {
        long sum = 0;
        for (int i = 0; i < bytes.capacity(); i += 100) {
            sum += bytes.get(i) * (long) i;
        }
        return sum;
    }

    private static long residentFileKilobytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("RssFile:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }
}
