package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** That no kernel is left without a test beside its face; the build runs all of them once for each provider. */
class KernelTwinsTest {
    private static final Path SOURCES = Path.of("src", "main", "java", "org", "torchnnapi", "kernels");
    private static final Path TESTS = Path.of("src", "test", "java", "org", "torchnnapi", "kernels");

    @Test
    void everyKernelIsCalledByTheTestOfItsFace() throws Exception {
        List<Path> faces;
        try (Stream<Path> files = Files.list(SOURCES)) {
            faces = files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                    .sorted()
                    .toList();
        }
        Set<String> missing = new TreeSet<>();
        int kernels = 0;
        for (Path file : faces) {
            String name = file.getFileName().toString().replace(".java", "");
            Path test = TESTS.resolve(name + "Test.java");
            String text = Files.exists(test) ? Files.readString(test) : "";
            for (Method method : Class.forName(KernelTwinsTest.class.getPackageName() + "." + name)
                    .getDeclaredMethods()) {
                if (isKernel(method)) {
                    kernels++;
                    if (!text.contains("." + method.getName() + "(") && !text.contains("::" + method.getName())) {
                        missing.add(name + "." + method.getName());
                    }
                }
            }
        }
        assertTrue(kernels > 0, "no kernels were found in " + SOURCES.toAbsolutePath());
        assertEquals(Set.of(), missing, "kernels that no test of their face calls");
    }

    /** A public method of a public class that works on arrays and returns nothing. */
    private static boolean isKernel(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && Modifier.isPublic(method.getDeclaringClass().getModifiers())
                && method.getReturnType() == void.class
                && Arrays.stream(method.getParameterTypes())
                        .anyMatch(type -> type.isArray() && type.componentType().isPrimitive());
    }
}
