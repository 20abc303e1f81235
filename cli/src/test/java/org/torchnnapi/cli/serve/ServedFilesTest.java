package org.torchnnapi.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.torchnnapi.cli.serve.ServedFiles.Kind;

class ServedFilesTest {
    private static final Limits LIMITS = new Limits(1000, 3000, 3, 2, 1, 1, Duration.ofSeconds(10));

    private ServedFiles workspace;

    @BeforeEach
    void make() throws IOException {
        workspace = new ServedFiles(LIMITS);
    }

    @AfterEach
    void close() throws IOException {
        workspace.close();
    }

    private static InputStream bytes(int count) {
        return new ByteArrayInputStream(new byte[count]);
    }

    private List<Path> all() throws IOException {
        try (Stream<Path> walk = Files.walk(workspace.folder())) {
            return walk.filter(Files::isRegularFile).toList();
        }
    }

    private static void refuses(int status, org.junit.jupiter.api.function.Executable work) {
        HttpError refused = assertThrows(HttpError.class, work);
        assertEquals(status, refused.status(), refused.getMessage());
        assertTrue(refused.getMessage().contains("(expected: "), refused.getMessage());
    }

    @Test
    void itIsItsUsersAloneAndGoes() throws IOException {
        assumeTrue(Files.getFileStore(workspace.folder()).supportsFileAttributeView("posix"));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(workspace.folder())));
        workspace.receive("net.pt", bytes(10), 10);
        workspace.close();
        assertFalse(Files.exists(workspace.folder()));
    }

    @Test
    void whatIsAnnouncedAsTooLargeIsNotRead() {
        InputStream unread = new InputStream() {
            @Override
            public int read() {
                throw new AssertionError("read");
            }
        };
        refuses(HttpError.TOO_LARGE, () -> workspace.receive("net.pt", unread, 1001));
        refuses(HttpError.TOO_LARGE, () -> workspace.receive(Kind.INPUTS, "cat.png", unread, Long.MAX_VALUE));
    }

    @Test
    void whatTurnsOutTooLargeIsReadToTheLimitAndLeavesNothing() throws IOException {
        long[] read = {0};
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 0;
            }

            @Override
            public int read(byte[] target, int from, int count) {
                read[0] += count;
                return count;
            }
        };
        refuses(HttpError.TOO_LARGE, () -> workspace.receive("net.pt", endless, -1));
        assertTrue(read[0] <= 1 << 17, "bytes read: " + read[0]);
        assertEquals(List.of(), all());
        refuses(HttpError.BAD_REQUEST, () -> workspace.receive("net.pt", bytes(5), 10));
        assertEquals(List.of(), all());
        assertEquals(List.of(), workspace.models());
    }

    @Test
    void itHoldsSoManyBytesAndModels() throws IOException {
        workspace.receive("a.pt", bytes(1000), 1000);
        workspace.receive("b.pt", bytes(1000), 1000);
        workspace.receive(Kind.CALIBRATION, "c.npy", bytes(900), 900);
        refuses(HttpError.FULL, () -> workspace.receive("d.pt", bytes(200), 200));
        workspace.clear(Kind.CALIBRATION);
        workspace.receive("d.pt", bytes(200), 200);
        refuses(HttpError.FULL, () -> workspace.receive("e.pt", bytes(1), 1));
        Path made = Files.write(workspace.jobFolder(1).resolve("made.pt"), new byte[1]);
        assertNull(workspace.adopt(made, "convert"), "no place");
        assertTrue(Files.exists(made));
        workspace.remove(1);
        assertEquals("made.pt", workspace.adopt(made, "convert").name());
        refuses(HttpError.NOT_FOUND, () -> workspace.model(1));
        refuses(HttpError.NOT_FOUND, () -> workspace.remove(1));
    }

    @Test
    void filesOfEachKindHaveTheirEndingsAndNumber() throws IOException {
        assertEquals("cat_.png", workspace.receive(Kind.INPUTS, "cat%3C.png", bytes(1), 1));
        workspace.receive(Kind.INPUTS, "labels.txt", bytes(1), 1);
        refuses(HttpError.FULL, () -> workspace.receive(Kind.INPUTS, "more.png", bytes(1), 1));
        refuses(HttpError.BAD_REQUEST, () -> workspace.receive(Kind.CALIBRATION, "labels.txt", bytes(1), 1));
        refuses(HttpError.NOT_FOUND, () -> Kind.of("..%2F"));
        assertEquals(2, workspace.files(Kind.INPUTS).size());
    }
}
