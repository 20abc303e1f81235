package org.torchnnapi.c;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds the library and lets a C program use it; skipped where there is no C compiler, or no Linux. */
class LibraryBuilderTest {
    private static final Path SOURCE = Path.of("src/test/c/client.c");

    @TempDir
    private static Path folder;

    private static Path library;
    private static Path client;

    @BeforeAll
    static void build() throws IOException, InterruptedException {
        assumeTrue(System.getProperty("os.name").startsWith("Linux"), "the library is for Linux");
        assumeTrue(Stream.of("cc", "gcc", "clang").anyMatch(LibraryBuilderTest::runs), "no C compiler");
        library = LibraryBuilder.build(folder.resolve("built"));
        client = compile("client", SOURCE);
    }

    private static boolean runs(String compiler) {
        try {
            return new ProcessBuilder(compiler, "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    private static Path compile(String name, Path source, String... flags) throws IOException, InterruptedException {
        Path program = folder.resolve(name);
        String compiler = Stream.of("cc", "gcc", "clang")
                .filter(LibraryBuilderTest::runs)
                .findFirst()
                .orElseThrow();
        List<String> command = new ArrayList<>(List.of(
                compiler,
                "-Wall",
                "-Wextra",
                "-Werror",
                "-std=gnu11",
                "-I" + library.resolveSibling(LibraryBuilder.HEADER).getParent(),
                source.toAbsolutePath().toString(),
                "-o",
                program.toString(),
                "-L" + library.getParent(),
                "-lneuralnetworks",
                "-pthread",
                "-ldl"));
        command.addAll(List.of(flags));
        Outcome outcome = run(Map.of(), command);
        assertEquals(0, outcome.code, outcome.output);
        return program;
    }

    private record Outcome(int code, String output) {}

    private static Outcome run(Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        Thread watch = new Thread(() -> {
            try {
                if (!process.waitFor(120, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
            }
        });
        watch.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        watch.join();
        return new Outcome(code, output);
    }

    private static Outcome client(Path libraryFolder, Map<String, String> environment, String test)
            throws IOException, InterruptedException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("LD_LIBRARY_PATH", libraryFolder.toString());
        return run(all, List.of(client.toString(), test));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "model",
                "devices",
                "handles",
                "states",
                "shapes",
                "unspecified",
                "contradictions",
                "memory",
                "reuse",
                "fences",
                "threads",
                "forks",
                "loads"
            })
    void programUses(String test) throws IOException, InterruptedException {
        Outcome outcome = client(library.getParent(), Map.of(), test);
        assertEquals(0, outcome.code, outcome.output);
    }

    @Test
    void misuseGetsTheInterfacesCodes() throws IOException, InterruptedException {
        Path source = Path.of("src/test/c/misuse.c");
        Outcome outcome = run(
                Map.of("LD_LIBRARY_PATH", library.getParent().toString()),
                List.of(compile("misuse", source).toString()));
        assertEquals(0, outcome.code, outcome.output);
        String calls = Files.readString(source);
        assertEquals(
                List.of(),
                functions().stream()
                        .filter(function -> !calls.contains(function + "("))
                        .toList(),
                "functions that it does not call");
    }

    /** Of the header. */
    private static List<String> functions() throws IOException {
        List<String> functions = new ArrayList<>();
        for (String line : Files.readAllLines(library.resolveSibling(LibraryBuilder.HEADER))) {
            Matcher call = Pattern.compile("\\b(ANeuralNetworks\\w+)\\(").matcher(line);
            if (call.find()) {
                functions.add(call.group(1));
            }
        }
        return functions;
    }

    /** Drivers' jars that lie beside the library's own are found; what they announce, C programs use. */
    @Test
    void programUsesAnExtension() throws IOException, InterruptedException {
        Path built = LibraryBuilder.build(folder.resolve("extended"));
        Path jars;
        try (Stream<Path> files = Files.walk(built.getParent())) {
            jars = files.filter(file -> file.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow()
                    .getParent();
        }
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(jars.resolve("series.jar")))) {
            Path classes = Path.of("target/test-classes");
            try (Stream<Path> files = Files.list(classes.resolve("org/torchnnapi/c"))) {
                for (Path file : files.filter(
                                file -> file.getFileName().toString().startsWith("SeriesDriver"))
                        .toList()) {
                    add(jar, classes.relativize(file).toString(), Files.readAllBytes(file));
                }
            }
            add(
                    jar,
                    "META-INF/services/org.torchnnapi.nnapi.driver.Driver",
                    SeriesDriver.class.getName().getBytes(StandardCharsets.UTF_8));
        }
        Outcome outcome = client(built.getParent(), Map.of(), "extensions");
        assertEquals(0, outcome.code, outcome.output);
    }

    private static void add(JarOutputStream jar, String name, byte[] content) throws IOException {
        jar.putNextEntry(new ZipEntry(name));
        jar.write(content);
        jar.closeEntry();
    }

    @Test
    void callsAreLegalByTheInterfaceToJava() throws IOException, InterruptedException {
        for (String test : List.of("model", "memory", "fences", "states")) {
            Outcome outcome = client(library.getParent(), Map.of("TORCH_NNAPI_JAVA_OPTS", "-Xcheck:jni"), test);
            assertEquals(0, outcome.code, outcome.output);
            assertFalse(outcome.output.contains("WARNING in native method"), outcome.output);
        }
    }

    @Test
    void exportsEveryFunctionOfTheHeader() throws IOException, InterruptedException {
        assumeTrue(runs("nm"), "nm is not there");
        String exported = run(Map.of(), List.of("nm", "-D", "--defined-only", library.toString())).output;
        assertEquals(
                List.of(),
                functions().stream()
                        .filter(function -> !exported.contains(" T " + function + "\n"))
                        .toList());
        assertEquals(
                List.of(),
                exported.lines()
                        .filter(line -> !line.contains(" T ANeuralNetworks"))
                        .toList());
    }

    @Test
    void missingJarsAreSaid() throws IOException, InterruptedException {
        Path alone = Files.createDirectories(folder.resolve("alone"));
        Files.copy(library, alone.resolve(LibraryBuilder.LIBRARY));
        Outcome outcome = client(alone, Map.of(), "first");
        assertEquals(0, outcome.code, outcome.output);
        assertTrue(outcome.output.contains("no jars in " + alone), outcome.output);
        assertTrue(outcome.output.contains("\n9\n"), outcome.output);
        assertEquals(2, outcome.output.lines().count(), outcome.output);
    }

    @Test
    void libraryIsFoundThroughLinks() throws IOException, InterruptedException {
        Path links = Files.createDirectories(folder.resolve("links"));
        Files.createSymbolicLink(links.resolve(LibraryBuilder.LIBRARY), library);
        Outcome outcome = client(links, Map.of(), "model");
        assertEquals(0, outcome.code, outcome.output);
    }

    /** The library uses the virtual machine that runs, with classes of its own. */
    @Test
    void javaProgramLoadsIt() throws IOException, InterruptedException {
        assumeTrue(Runtime.version().feature() >= 22, "calls of native functions from Java need 22");
        Outcome outcome = run(
                Map.of(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        Path.of("src/test/jvm/InJvm.java").toAbsolutePath().toString(),
                        library.toString()));
        assertEquals(
                "code 0, devices, classes apart",
                outcome.output.lines().reduce("", (first, last) -> last),
                outcome.output);
        assertEquals(0, outcome.code, outcome.output);
    }

    /** A program with its file's group's rights, which whoever starts it lacks: the environment leads it nowhere. */
    @Test
    void privilegedProgramReadsNoEnvironment() throws IOException, InterruptedException {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(folder, "unix:uid")), "only root gives groups");
        Path program = compile("privileged", SOURCE, "-Wl,-rpath," + library.getParent());
        Files.setAttribute(program, "unix:gid", 1);
        Files.setAttribute(program, "unix:mode", 02755);
        Map<String, String> leading = Map.of(
                "TORCH_NNAPI_JAVA_OPTS", "-Xnonsense",
                "TORCH_NNAPI_LOG", "1",
                "JAVA_HOME", "/nowhere",
                "PATH", "");
        Outcome outcome = run(leading, List.of(program.toString(), "model"));
        assertEquals(new Outcome(0, ""), outcome);
        outcome = run(leading, List.of(program.toString(), "states"));
        assertEquals(0, outcome.code, outcome.output);
        assertFalse(outcome.output.contains("libneuralnetworks:"), outcome.output);
        Files.setAttribute(program, "unix:mode", 0755);
        outcome = run(leading, List.of(program.toString(), "first"));
        assertTrue(outcome.output.contains("-Xnonsense"), outcome.output);
    }

    @Test
    void javaThatDoesNotStartIsSaid() throws IOException, InterruptedException {
        Outcome outcome = client(library.getParent(), Map.of("TORCH_NNAPI_JAVA_OPTS", "-Xnonsense"), "first");
        assertEquals(0, outcome.code, outcome.output);
        assertTrue(outcome.output.contains("does not start"), outcome.output);
        assertTrue(outcome.output.contains("-Xnonsense"), outcome.output);
        assertTrue(outcome.output.contains("\n9\n"), outcome.output);
    }

    /** The virtual machine would end the process there. */
    @Test
    void programOutlivesJavaWithoutMemory() throws IOException, InterruptedException {
        Outcome outcome = client(
                library.getParent(),
                Map.of(
                        "TORCH_NNAPI_JAVA_OPTS",
                        "-XX:ErrorFile=/dev/null -Xms4000g -Xmx4000g -XX:+AlwaysPreTouch -XX:-UseCompressedOops"),
                "first");
        assertEquals(0, outcome.code, outcome.output);
        assertTrue(outcome.output.contains("too little memory"), outcome.output);
        assertTrue(outcome.output.contains("\n1\n"), outcome.output);
    }
}
