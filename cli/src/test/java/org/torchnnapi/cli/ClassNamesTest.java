package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A class name means one thing in all modules; PyTorch's own names, and samples, which are programs of their own,
 * aside.
 */
class ClassNamesTest {
    /** From the root to the sources of the module that lies deepest. */
    private static final int DEPTH = 4;

    @Test
    void aNameIsThatOfOneClass() throws IOException {
        Map<String, Set<String>> found = new TreeMap<>();
        for (Path sources : sources()) {
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(ClassNamesTest::isClass)
                        .forEach(
                                file -> found.computeIfAbsent(file.getFileName().toString(), name -> new TreeSet<>())
                                        .add(qualified(file)));
            }
        }
        assertTrue(found.size() > 1000, "classes found: " + found.size());
        found.values().removeIf(places -> places.size() == 1);
        assertEquals(Map.of(), found);
    }

    private static List<Path> sources() throws IOException {
        Path root = Path.of("..");
        try (Stream<Path> folders =
                Files.find(root, DEPTH, (path, attributes) -> path.endsWith(Path.of("src", "main")))) {
            return folders.filter(
                            path -> !path.startsWith(root.resolve("samples")) && !path.startsWith(root.resolve("docs")))
                    .toList();
        }
    }

    /** Without the module: a phone's form of one of the command's classes bears its whole name. */
    private static String qualified(Path file) {
        return file.toString().replace('\\', '/').replaceFirst(".*/java\\d*/", "");
    }

    private static boolean isClass(Path file) {
        String path = file.toString().replace('\\', '/');
        return path.matches(".*/java\\d*/.*\\.java") && !path.contains("/org/pytorch/") && !path.endsWith("-info.java");
    }
}
