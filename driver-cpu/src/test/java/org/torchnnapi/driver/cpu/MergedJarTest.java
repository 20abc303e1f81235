package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.program.Program;
import org.torchnnapi.tensor.WindowAxis;

/** The modules in one jar, made as tools that know nothing of services make it: of files of one name one is kept. */
class MergedJarTest {
    @TempDir
    private Path folder;

    /** Runs in the merged jar. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) {
            for (Device device : Devices.installed().all()) {
                System.out.println(device.name());
            }
        }
    }

    private List<Path> places() throws Exception {
        List<Path> places = new ArrayList<>();
        for (Class<?> one : List.of(
                Devices.class, CpuDriver.class, Program.class, Kernels.class, WindowAxis.class, MergedJarTest.class)) {
            places.add(Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }
        // The module's own may come from where the tests are patched in.
        places.add(Path.of("target", "classes").toAbsolutePath());
        places.add(Path.of("target", "test-classes").toAbsolutePath());
        return places;
    }

    private Path merge(List<Path> places, String without) throws IOException {
        Path merged = folder.resolve("merged.jar");
        Set<String> names = new HashSet<>();
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(merged))) {
            for (Path place : places) {
                if (Files.isDirectory(place)) {
                    add(place, jar, names, without);
                } else {
                    try (FileSystem files = FileSystems.newFileSystem(place)) {
                        add(files.getPath("/"), jar, names, without);
                    }
                }
            }
        }
        return merged;
    }

    private static void add(Path root, JarOutputStream jar, Set<String> names, String without) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            String name = root.relativize(file).toString();
            if (!name.equals(without) && names.add(name)) {
                jar.putNextEntry(new ZipEntry(name));
                jar.write(Files.readAllBytes(file));
            }
        }
    }

    private static String[] run(Path jar, Path errors) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        jar.toString(),
                        Main.class.getName())
                .redirectError(errors.toFile())
                .start();
        try (OutputStream none = process.getOutputStream()) {
            none.flush();
        }
        String devices = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String said = Files.readString(errors);
        assertEquals(0, process.waitFor(), said);
        return new String[] {devices, said};
    }

    @Test
    void keepsTheFastDeviceInWhateverOrder() throws Exception {
        List<Path> places = places();
        for (int order = 0; order < 2; order++) {
            String[] result = run(merge(places, ""), folder.resolve("errors"));
            assertEquals("cpu\nreference\n", result[0], result[1]);
            Collections.reverse(places);
        }
    }

    @Test
    void lostFastDeviceIsSaidOnce() throws Exception {
        Path jar = merge(places(), "META-INF/services/" + Driver.class.getName());
        String[] result = run(jar, folder.resolve("errors"));
        assertEquals("reference\n", result[0]);
        assertTrue(result[1].contains("no device but the reference device is found"), result[1]);
        assertEquals(1, result[1].split("WARNING", -1).length - 1, result[1]);
    }
}
