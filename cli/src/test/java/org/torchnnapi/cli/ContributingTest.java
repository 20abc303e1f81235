package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What is written for contributors is true of the sources: worked examples are quotations, and the classes that are
 * named are there.
 */
class ContributingTest {
    private static final Path ROOT = Path.of("..");
    private static final List<String> OF_JAVA = List.of("ServiceLoader");
    private static final Pattern BLOCK = Pattern.compile("```(?:java|c|text)\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][A-Za-z]*)?)`");

    @Test
    void quotationsStandInTheSources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (Path file : sources()) {
            sources.add(squeezed(Files.readString(file)));
        }
        List<String> quoted = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text("CONTRIBUTING.md"));
        while (blocks.find()) {
            // Three points stand for what is left out.
            for (String part : blocks.group(1).split("(?m)^\\s*\\.\\.\\.\\s*$")) {
                quoted.add(squeezed(part));
            }
        }
        assertTrue(quoted.size() >= 5, quoted.toString());
        quoted.forEach(part -> assertTrue(sources.stream().anyMatch(source -> source.contains(part)), part));
    }

    @Test
    void classesThatAreNamedAreThere() throws IOException {
        List<String> names = sources().stream()
                .map(file -> file.getFileName().toString().replaceFirst("\\.\\w+$", ""))
                .toList();
        Matcher classes = CLASS.matcher(text("CONTRIBUTING.md") + text("docs/ARCHITECTURE.md"));
        int found = 0;
        while (classes.find()) {
            found++;
            assertTrue(names.contains(classes.group(1)) || OF_JAVA.contains(classes.group(1)), classes.group(1));
        }
        assertTrue(found > 90, "classes named: " + found);
    }

    private static String text(String document) throws IOException {
        return Files.readString(ROOT.resolve(document));
    }

    private static String squeezed(String text) {
        // The layout is the formatter's.
        return text.replaceAll("\\s+", "");
    }

    private static List<Path> sources() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path folder : modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> all = Files.walk(folder)) {
                    all.filter(file -> file.toString().matches(".*\\.(java|c|table)"))
                            .forEach(files::add);
                }
            }
        }
        return files;
    }
}
