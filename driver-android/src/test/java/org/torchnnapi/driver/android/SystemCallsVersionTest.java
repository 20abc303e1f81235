package org.torchnnapi.driver.android;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

/**
 * The library of system.c beside classes of other sources; in virtual machines of their own, which a crash would end.
 */
class SystemCallsVersionTest {
    @TempDir
    Path folder;

    private String devicesWith(Path library) throws IOException, InterruptedException {
        Path system = folder.resolve("libfaulty.so");
        boolean compiled;
        try {
            compiled = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", system.toString(), "src/test/c/faulty.c")
                            .inheritIO()
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notInstalled) {
            compiled = false;
        }
        assumeTrue(compiled, "no C compiler");
        String separator = System.getProperty("path.separator");
        String modules = System.getProperty("jdk.module.path");
        String path = String.join(
                separator,
                "target/classes",
                "target/test-classes",
                System.getProperty("java.class.path"),
                modules == null ? "" : modules);
        ProcessBuilder builder = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx256m",
                        "-Dtorchnnapi.system.library=" + library,
                        "-cp",
                        path,
                        DoublingClient.class.getName())
                .redirectErrorStream(true);
        builder.environment().put("LIBNEURALNETWORKS_PATH", system.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    private static Path own() {
        String arch = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        Path library =
                Path.of("target/classes/org/torchnnapi/driver/android/linux-" + arch + "/libtorchnnapi_system.so");
        assumeTrue(Files.exists(library), "the library is not built here");
        return library;
    }

    private static byte[] version() throws IOException {
        try (InputStream in = NativeCalls.class.getResourceAsStream("version")) {
            long number = Long.parseUnsignedLong(new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip(), 16);
            return ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(number)
                    .array();
        }
    }

    @Test
    void ofTheSameSourcesServes() throws IOException, InterruptedException {
        String lines = devicesWith(own());
        assertTrue(lines.contains("devices: [system/sound, "), lines);
        assertEquals(
                4,
                lines.lines()
                        .filter("doubled: 2.0, -4.0, 6.0 on system/sound"::equals)
                        .count(),
                lines);
    }

    /** The library with other bytes where it says its version: all else of it would do. */
    @Test
    void ofOtherSourcesIsRefusedWithBothVersions() throws IOException, InterruptedException {
        byte[] bytes = Files.readAllBytes(own());
        byte[] version = version();
        int changed = 0;
        for (int at = 0; at <= bytes.length - version.length; at++) {
            if (ByteBuffer.wrap(bytes, at, version.length).equals(ByteBuffer.wrap(version))) {
                bytes[at] ^= 1;
                changed++;
            }
        }
        assertEquals(1, changed, "places of the version in the library");
        Path stale = Files.write(folder.resolve("libtorchnnapi_system.so"), bytes);
        String lines = devicesWith(stale);
        long number = ByteBuffer.wrap(version).order(ByteOrder.LITTLE_ENDIAN).getLong();
        assertTrue(
                lines.contains(String.format(
                        "no devices of the system's NNAPI: library %s: version %016x (expected: %016x, that of the "
                                + "classes); use",
                        stale, number ^ 1, number)),
                lines);
        assertTrue(lines.contains("devices: []"), lines);
    }

    @Test
    void somethingElseIsRefused() throws IOException, InterruptedException {
        Path foreign;
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.home"), "lib"))) {
            foreign = files.filter(file -> List.of("libzip.so", "libnet.so")
                            .contains(file.getFileName().toString()))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
        own();
        String lines = devicesWith(foreign);
        assertTrue(lines.contains("library " + foreign + ": version none (expected: "), lines);
        assertFalse(lines.contains("system/sound"), lines);
    }

    @Test
    void saysValueRuleAndWhatToDo() {
        SystemCallsVersionError.requireSame("2", "2", "x.so");
        assertEquals(
                "library x.so: version 1 (expected: 2, that of the classes); use the library of the same release, or "
                        + "build the driver-android module anew",
                assertThrows(SystemCallsVersionError.class, () -> SystemCallsVersionError.requireSame("1", "2", "x.so"))
                        .getMessage());
    }
}
