package org.torchnnapi.phone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.Tensor;

/** What R8 leaves of an app and of the command, as classes of Java's, run by this machine's virtual machine. */
class ShrunkTest {
    private static final String WORK = "target/work/";
    private static final String KERNELS =
            "../kernels/target/classes/org/torchnnapi/kernels/internal/natives/linux-x86_64/libtorchnnapi.so";

    @TempDir
    private static Path folder;

    private static String converted;

    @BeforeAll
    static void convert() throws IOException {
        Path file = folder.resolve("digits-nnapi.pt");
        ScriptRuntime runtime = Runtimes.standard();
        ScriptModule module = ScriptModule.load(Paths.get("../samples/digits/digits-core.pt"), runtime)
                .eval();
        Conversion conversion = Converter.convert(
                module,
                ConversionOptions.defaults().withExample(List.of(Tensor.of(new float[3 * 32 * 32], 1, 3, 32, 32))),
                runtime);
        conversion.write(file);
        converted = file.toString();
    }

    /** What a program says, which must end well. */
    private static String run(String classes, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED"));
        if (Files.exists(Paths.get(KERNELS)) && System.getProperty("os.arch").equals("amd64")) {
            command.add("-Dtorchnnapi.kernels.library=" + KERNELS);
        }
        command.addAll(List.of("-cp", classes));
        command.addAll(Arrays.asList(arguments));
        Path errors = folder.resolve("errors");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output + Files.readString(errors));
        return output;
    }

    private static String command(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("org.torchnnapi.cli.Phone"));
        all.addAll(Arrays.asList(arguments));
        return run(WORK + "command.jar", all.toArray(String[]::new));
    }

    @Test
    void anAppSaysTheSameAsUnshrunk() throws IOException, InterruptedException {
        String library = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(name -> name.contains("torch-nnapi-android"))
                .findFirst()
                .orElseThrow();
        String[] arguments = {
            "org.torchnnapi.samples.digits.ShrunkApp",
            converted,
            "../samples/digits/digits-cpu.pt",
            "../samples/digits/digits-cpu.ptl"
        };
        String whole = run(WORK + "app-classes.jar" + File.pathSeparator + library, arguments);
        assertTrue(whole.contains("\nreference NNAPI") && whole.contains("\ncpu NNAPI"), whole);
        assertEquals(
                3,
                whole.lines().filter(line -> line.matches(".*\\.ptl?: \\[.*")).count(),
                whole);
        assertEquals(whole, run(WORK + "app.jar", arguments));
    }

    @Test
    void theCommandMeasures() throws IOException, InterruptedException {
        String lines = command(
                "bench",
                "--model=" + converted,
                "--input_dims=1,3,32,32",
                "--input_type=float",
                "--warmup=1",
                "--iter=3",
                "--report_pep=true",
                "--percentiles=true",
                "--report_memory=true");
        assertTrue(lines.contains("Main run finished. Microseconds per iter: "), lines);
        assertEquals(
                3,
                lines.lines()
                        .filter(line -> line.startsWith("PyTorchObserver {"))
                        .count(),
                lines);
    }

    @Test
    void theCommandTellsDevicesAndWhatRunsWhere() throws Exception {
        String devices = command("devices");
        assertTrue(devices.contains("\nreference ") && devices.contains("\ncpu "), devices);
        assertTrue(command("explain", converted).contains("CONV_2D"), "a convolution's place");
        JsonNode profile = new ObjectMapper()
                .readTree(command(
                        "profile",
                        converted,
                        "--input",
                        "float32[1,3,32,32]",
                        "--iter",
                        "2",
                        "--warmup",
                        "1",
                        "--json",
                        "-"));
        assertTrue(
                profile.get("steps").size() > 1 && profile.get("milliseconds").asDouble() > 0, profile.toString());
    }

    @Test
    void theFileForPhonesHasCodeAndLibraries() throws IOException {
        try (ZipFile file = new ZipFile("target/torch-nnapi-phone.jar")) {
            List<String> names = file.stream().map(ZipEntry::getName).toList();
            assertTrue(
                    names.contains("classes.dex")
                            && names.contains("META-INF/services/org.torchnnapi.nnapi.driver.Driver"),
                    names.toString());
            assertTrue(names.contains("org/torchnnapi/kernels/internal/natives/version"), names.toString());
            assertTrue(names.contains("org/torchnnapi/driver/android/version"), names.toString());
            assertTrue(names.stream().noneMatch(name -> name.endsWith(".class")), names.toString());
            if (Files.exists(Paths.get(KERNELS).resolveSibling("../linux-aarch64"))) {
                assertTrue(
                        names.contains("org/torchnnapi/kernels/internal/natives/linux-aarch64/libtorchnnapi.so"),
                        names.toString());
                assertTrue(
                        names.contains("org/torchnnapi/driver/android/android-aarch64/libtorchnnapi_system.so"),
                        names.toString());
            }
        }
    }
}
