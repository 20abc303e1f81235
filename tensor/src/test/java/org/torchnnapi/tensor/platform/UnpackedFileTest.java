package org.torchnnapi.tensor.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnpackedFileTest {
    private final String before = System.getProperty("java.io.tmpdir");

    @TempDir
    private Path temporary;

    @BeforeEach
    void elsewhere() {
        System.setProperty("java.io.tmpdir", temporary.toString());
    }

    @AfterEach
    void asItWas() {
        System.setProperty("java.io.tmpdir", before);
    }

    @Test
    void copyIsItsUsersAloneAndGoes() throws IOException {
        byte[] content = new byte[100_000];
        Arrays.fill(content, (byte) 7);
        Path file;
        try (UnpackedFile unpacked = UnpackedFile.of(new ByteArrayInputStream(content), "libx.so");
                UnpackedFile other = UnpackedFile.of(new ByteArrayInputStream(content), "libx.so")) {
            file = unpacked.path();
            assertEquals("libx.so", file.getFileName().toString());
            assertFalse(file.equals(other.path()));
            assertArrayEquals(content, Files.readAllBytes(file));
            if (Files.getFileStore(file).supportsFileAttributeView("posix")) {
                assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
                assertEquals(
                        "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
            }
        }
        assertFalse(Files.exists(file.getParent()));
    }

    @Test
    void nothingIsLeftOfWhatCannotBeCopied() throws IOException {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("broken");
            }
        };
        assertThrows(IOException.class, () -> UnpackedFile.of(broken, "libx.so"));
        try (var left = Files.list(temporary)) {
            assertEquals(0, left.count());
        }
    }
}
