package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.kernels.Kernels;

class LibraryVersionTest {
    @TempDir
    Path folder;

    /**
     * Loads the library as any program would, and says which kernels there are; in a virtual machine of its own, which
     * a crash would end.
     */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            Kernels.describe().forEach(System.out::println);
        }
    }

    private static String kernelsWith(Path library) throws IOException, InterruptedException {
        String path = System.getProperty("jdk.module.path") == null
                ? System.getProperty("java.class.path")
                : System.getProperty("java.class.path")
                        + System.getProperty("path.separator")
                        + System.getProperty("jdk.module.path");
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx256m",
                        "-Dtorchnnapi.kernels.library=" + library,
                        "-cp",
                        "target/classes" + System.getProperty("path.separator") + "target/test-classes"
                                + System.getProperty("path.separator") + path,
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    private static Path own() throws IOException {
        Path natives = Path.of("target/classes/org/torchnnapi/kernels/internal/natives");
        String arch = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        Path library = natives.resolve("linux-" + arch + "/libtorchnnapi.so");
        assumeTrue(Files.exists(library), "the library is not built here");
        return library;
    }

    private static byte[] version() throws IOException {
        try (InputStream in = NativeLibrary.class.getResourceAsStream("version")) {
            long number = Long.parseUnsignedLong(new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip(), 16);
            return ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(number)
                    .array();
        }
    }

    @Test
    void ofTheSameSourcesServes() throws IOException, InterruptedException {
        assumeTrue(Kernels.describe().toString().contains("native ("), "native kernels");
        String lines = kernelsWith(own());
        assertTrue(lines.contains("int8 kernels: native ("), lines);
    }

    /** The library with other bytes where it says its version: all else of it would do. */
    @Test
    void ofOtherSourcesIsRefusedAndJavaServes() throws IOException, InterruptedException {
        byte[] bytes = Files.readAllBytes(own());
        byte[] version = version();
        int at = 0;
        int changed = 0;
        for (; at <= bytes.length - version.length; at++) {
            if (ByteBuffer.wrap(bytes, at, version.length).equals(ByteBuffer.wrap(version))) {
                bytes[at] ^= 1;
                changed++;
            }
        }
        assertEquals(1, changed, "places of the version in the library");
        Path stale = Files.write(folder.resolve("libtorchnnapi.so"), bytes);
        String lines = kernelsWith(stale);
        assertTrue(
                lines.contains("library " + stale + ": version ")
                        && lines.contains("(expected: ")
                        && lines.contains("use the library of the same release"),
                lines);
        assertTrue(!lines.contains("int8 kernels: native"), lines);
    }

    @Test
    void somethingElseIsRefused() throws IOException, InterruptedException {
        own();
        Path foreign;
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.home"), "lib"))) {
            foreign = files.filter(file -> List.of("libzip.so", "libnet.so")
                            .contains(file.getFileName().toString()))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
        String lines = kernelsWith(foreign);
        assertTrue(lines.contains("library " + foreign + ": version none (expected: "), lines);
    }

    @Test
    void saysValueRuleAndWhatToDo() {
        String message = assertThrows(
                        LibraryVersionException.class, () -> LibraryVersionException.requireSame("1", "2", "x.so"))
                .getMessage();
        assertEquals(
                "library x.so: version 1 (expected: 2, that of the classes); use the library of the same release, or "
                        + "build the kernels module anew",
                message);
    }
}
