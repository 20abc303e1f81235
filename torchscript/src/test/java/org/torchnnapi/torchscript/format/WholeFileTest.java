package org.torchnnapi.torchscript.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    private Path folder;

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::getFileName).toList();
        }
    }

    @Test
    void replacesWhatIsThere() throws IOException {
        Path target = folder.resolve("a.txt");
        WholeFile.write(target, "first");
        WholeFile.write(target, "second");
        assertEquals("second", Files.readString(target));
        assertEquals(List.of(Path.of("a.txt")), files());
    }

    @Test
    void aFullDiskNamesTheFileAndLeavesNothing() throws IOException {
        Path target = folder.resolve("a.txt");
        WholeFile.write(target, "whole");
        FileSystemException e = assertThrows(FileSystemException.class, () -> WholeFile.write(target, out -> {
            out.write(new byte[100_000]);
            throw new IOException("No space left on device");
        }));
        assertEquals(target + ": cannot be written: No space left on device", e.getMessage());
        assertEquals("whole", Files.readString(target));
        assertEquals(List.of(Path.of("a.txt")), files());
    }

    @Test
    void aDeviceThatIsFullIsAnError() {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full), "Linux has this device");
        FileSystemException e = assertThrows(FileSystemException.class, () -> WholeFile.write(full, "text"));
        assertTrue(e.getMessage().startsWith("/dev/full: cannot be written: "), e.getMessage());
    }

    @Test
    void foldersAreRefused() {
        FileSystemException e = assertThrows(FileSystemException.class, () -> WholeFile.write(folder, "text"));
        assertTrue(e.getMessage().endsWith("is a folder (expected: the name of a file)"), e.getMessage());
    }
}
