package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.commons.annotation.Testable;
import org.opentest4j.AssertionFailedError;
import org.torchnnapi.tensor.WindowAxis;

/**
 * The native kernels on an older JVM, which has no java.lang.foreign; skipped where none is installed beside the one
 * that tests.
 */
class OlderJavaTest {
    private static final int OLDEST = 17;
    private static final int FIRST_TOO_NEW = 22;

    @Test
    void nativeKernelsEqualTheirTwinsThere() throws Exception {
        assumeTrue(System.getProperty("torchnnapi.kernels", "").isEmpty(), "other kernels were asked for");
        assumeTrue(KernelsTest.isLibraryBuilt(), "the native library is not built for this machine");
        Path java = olderJava();
        assumeTrue(java != null, "no JDK of Java 17 to 21 beside " + System.getProperty("java.home"));
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-ea",
                        "-Dtorchnnapi.kernels.processor=" + System.getProperty("torchnnapi.kernels.processor", ""),
                        "-cp",
                        classPath(),
                        Main.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertEquals(0, process.waitFor(), () -> String.join("\n", lines));
        assertTrue(lines.get(0).startsWith("float kernels: native ("), lines.get(0));
        assertTrue(lines.get(1).startsWith("int8 kernels: native ("), lines.get(1));
        assertTrue(lines.get(2).startsWith("other kernels: native ("), lines.get(2));
    }

    /** Runs there: prints which kernels serve, then calls tests of this module, of which few are quick. */
    static final class Main {
        static final String FEW = "--few";

        private Main() {}

        public static void main(String[] args) {
            Kernels.describe().forEach(System.out::println);
            QuantizedConvTest bytes = new QuantizedConvTest();
            bytes.extremesStayExact();
            if (List.of(args).contains(FEW)) {
                return;
            }
            FloatConvTest floats = new FloatConvTest();
            floats.equalsItsTwin(ImageLayout.BLOCKED);
            floats.activatesAddsAndChangesLayout();
            floats.sharesGiveTheSameBits();
            bytes.equalsItsTwinBitForBit(ImageLayout.NHWC);
        }
    }

    private static Path olderJava() throws IOException {
        List<Path> homes;
        try (Stream<Path> folders =
                Files.list(Path.of(System.getProperty("java.home")).toRealPath().getParent())) {
            homes = folders.sorted().toList();
        }
        for (Path home : homes) {
            int release = release(home);
            if (release >= OLDEST && release < FIRST_TOO_NEW) {
                return home.resolve("bin").resolve("java");
            }
        }
        return null;
    }

    /** The Java version of a JDK's folder; 0 if it is none. */
    private static int release(Path home) throws IOException {
        Path file = home.resolve("release");
        if (!Files.isRegularFile(file)
                || !Files.isExecutable(home.resolve("bin").resolve("java"))) {
            return 0;
        }
        Properties properties = new Properties();
        properties.load(Files.newBufferedReader(file));
        String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
        return Integer.parseInt(version.replaceFirst("[^0-9].*", ""));
    }

    static String classPath() throws URISyntaxException {
        List<Path> places = new ArrayList<>();
        for (Class<?> one : List.of(
                Kernels.class,
                WindowAxis.class,
                OlderJavaTest.class,
                Test.class,
                EnumSource.class,
                Testable.class,
                AssertionFailedError.class)) {
            places.add(Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }
        // Classes of the module may come from where the tests are patched in.
        places.add(Path.of("target", "classes").toAbsolutePath());
        places.add(Path.of("target", "test-classes").toAbsolutePath());
        return places.stream().distinct().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
