package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The kernels on x86 processors that have less than the library could use, each in a virtual machine of its own: which
 * serve, and that they compute. Runs of all tests with less hold them to their twins.
 */
class LesserProcessorTest {
    @BeforeAll
    static void onX86() throws IOException {
        assumeTrue(List.of("amd64", "x86_64").contains(System.getProperty("os.arch")), "another kind of processor");
        assumeTrue(System.getProperty("torchnnapi.kernels", "").isEmpty(), "other kernels were asked for");
        assumeTrue(KernelsTest.isLibraryBuilt(), "the native library is not built for this machine");
    }

    private static List<String> kernelsOf(String... options)
            throws IOException, InterruptedException, URISyntaxException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED");
        builder.command().addAll(List.of(options));
        builder.command()
                .addAll(List.of(
                        "-cp", OlderJavaTest.classPath(), OlderJavaTest.Main.class.getName(), OlderJavaTest.Main.FEW));
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertEquals(0, process.waitFor(), () -> String.join("\n", lines));
        return lines;
    }

    @ParameterizedTest
    @CsvSource({"sse41, (sse41, (sse41", "avx2, (avx2, (avx2", "avxvnni, (avx2, (avx", "avx512, (, ("})
    void libraryServesWhatItHasFunctionsFor(String processor, String floats, String bytes) throws Exception {
        List<String> lines = kernelsOf("-Dtorchnnapi.kernels.processor=" + processor);
        assertTrue(lines.get(0).startsWith("float kernels: native " + floats), lines.get(0));
        assertTrue(lines.get(1).startsWith("int8 kernels: native " + bytes), lines.get(1));
        assertTrue(lines.get(2).startsWith("other kernels: native " + bytes), lines.get(2));
    }

    @Test
    void dotProductsOf256BitsServeBytes() throws Exception {
        assumeTrue(Files.readString(Path.of("/proc/cpuinfo")).contains(" avx_vnni"), "the processor has none");
        List<String> lines = kernelsOf("-Dtorchnnapi.kernels.processor=avxvnni");
        assertTrue(lines.get(0).startsWith("float kernels: native (avx2"), lines.get(0));
        assertTrue(lines.get(1).startsWith("int8 kernels: native (avxvnni"), lines.get(1));
    }

    @Test
    void portableKernelsComputeWhereItHasNone() throws Exception {
        assertEquals(
                List.of(
                        "float kernels: portable (no native kernels, since the processor has no SSE4.1)",
                        "int8 kernels: portable (no native kernels, since the processor has no SSE4.1)",
                        "other kernels: portable"),
                kernelsOf("-Dtorchnnapi.kernels.processor=sse2"));
    }

    @Test
    void processorThatThereIsNotIsSaid() throws Exception {
        assertEquals(
                "float kernels: portable (no native kernels, since torchnnapi.kernels.processor: pentium"
                        + " (expected: one of sse2, sse41, avx2, avxvnni, avx512))",
                kernelsOf("-Dtorchnnapi.kernels.processor=pentium").get(0));
    }
}
