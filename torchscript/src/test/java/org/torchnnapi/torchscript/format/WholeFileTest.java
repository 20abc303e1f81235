package org.torchnnapi.torchscript.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

    /** What is private stays so, from the first byte of the new content on. */
    @Test
    void permissionsAreKept() throws IOException {
        Path target = folder.resolve("private");
        WholeFile.write(target, "first");
        Assumptions.assumeTrue(Files.getFileStore(target).supportsFileAttributeView("posix"), "no such permissions");
        for (String permissions : List.of("rw-------", "rw-rw-rw-", "r--r-----")) {
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(permissions));
            Set<String> meanwhile = new HashSet<>();
            WholeFile.write(target, out -> {
                for (Path file : files()) {
                    meanwhile.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(file))));
                }
            });
            assertEquals(permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(target)));
            assertFalse(
                    permissions.startsWith("rw-rw")
                            ? meanwhile.isEmpty()
                            : meanwhile.stream().anyMatch(found -> !found.equals(permissions)),
                    meanwhile.toString());
        }
    }

    @Test
    void aFullDiskNamesTheFileAndLeavesNothing() throws IOException {
        Path target = folder.resolve("a.txt");
        WholeFile.write(target, "whole");
        FileSystemException e = assertThrows(
                FileSystemException.class,
                () -> WholeFile.write(target, out -> {
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

    /** A process that is told to end meanwhile leaves what was there, and nothing beside it. */
    @Test
    void whatIsNotFinishedGoesWithTheProcess() throws Exception {
        Path target = folder.resolve("a.txt");
        WholeFile.write(target, "whole");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        location(WholeFile.class) + File.pathSeparator + location(Ending.class),
                        Ending.class.getName(),
                        target.toString())
                .inheritIO()
                .start();
        assertEquals(3, process.waitFor());
        assertEquals("whole", Files.readString(target));
        assertEquals(List.of(Path.of("a.txt")), files());
    }

    /** A model that is checked may be as large as a disk has room for a few times. */
    @Test
    void temporaryFilesGoWithTheProcess() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        location(WholeFile.class) + File.pathSeparator + location(Leaving.class),
                        Leaving.class.getName())
                .inheritIO()
                .start();
        assertEquals(3, process.waitFor());
        assertEquals(List.of(), files());
    }

    @Test
    void discardedFilesAreGoneAtOnce() throws IOException {
        Path file = WholeFile.temporary(".pt");
        assertTrue(Files.exists(file));
        WholeFile.discard(file);
        assertFalse(Files.exists(file));
        WholeFile.discard(file);
    }

    private static String location(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    /** Ends in the middle of writing. */
    static final class Ending {
        private Ending() {}

        /** @param args the file to write */
        public static void main(String[] args) throws IOException {
            WholeFile.write(Path.of(args[0]), out -> {
                out.write(new byte[100_000]);
                System.exit(3);
            });
        }
    }

    /** Ends with files in use, and a folder, as one that is told to end does. */
    static final class Leaving {
        private Leaving() {}

        /** @param args none */
        public static void main(String[] args) throws IOException {
            Files.write(WholeFile.temporary(".pt"), new byte[100_000]);
            Path folder = WholeFile.passing(Files.createTempDirectory("f"));
            WholeFile.write(WholeFile.passing(folder.resolve("a.pt")), "a");
            WholeFile.passing(folder.resolve("not yet there.pt"));
            System.exit(3);
        }
    }

    @Test
    void foldersAreRefused() {
        FileSystemException e = assertThrows(FileSystemException.class, () -> WholeFile.write(folder, "text"));
        assertTrue(e.getMessage().endsWith("is a folder (expected: the name of a file)"), e.getMessage());
        FileSystemException empty = assertThrows(FileSystemException.class, () -> WholeFile.write(Path.of(""), "text"));
        assertEquals("file: the name is empty (expected: the name of a file)", empty.getMessage());
    }
}
