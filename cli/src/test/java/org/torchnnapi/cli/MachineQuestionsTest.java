package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No kernel or pass knows a cache's size, an image's height or a number of threads by heart: {@code Machine} is asked.
 * Constants are looked at by what they are, and by what the comment before them says they are.
 */
class MachineQuestionsTest {
    private static final List<String> MODULES = List.of("kernels", "program", "driver-cpu");

    private static final Pattern CONSTANT =
            Pattern.compile("(?:private |public )?static final (?:int|long) (\\w+) = (.*\\d.*);");

    /** Constants that look like one and are something else. */
    private static final Map<String, String> OTHERS = new TreeMap<>(Map.ofEntries(
            Map.entry("DepthwiseDotProduct.LEAST_COLUMNS", "what a line of the kernel covers"),
            Map.entry("DepthwiseTile.PIXELS", "a tile of registers"),
            Map.entry("TileKernel.HEIGHT", "a tile of registers"),
            Map.entry("NativeChain.STEP_PIXELS", "tiles of 14 pixels"),
            Map.entry("NativePairChain.STEP_PIXELS", "tiles of 14 pixels"),
            Map.entry("NativeGemm.ROWS", "tiles of 14 rows"),
            Map.entry("NativeByteWinograd.WEIGHT_COST", "a time, in multiply-adds"),
            Map.entry("NativeFloatWinograd.WANTED_TILES_OF_LARGE", "tiles that products take at once"),
            Map.entry("Program.LEAST_SHARED", "a time, in bytes that are read"),
            Map.entry("Program.MOST_READ_ALONE", "a time, in bytes that are read"),
            Map.entry("Step.LEAST_CHANNELS", "a time, in elements that are read"),
            Map.entry("SumsOfRows.MOST_PARTS", "on which results depend, which no machine may")));

    private static final Pattern LINES = Pattern.compile("cache lines?|lines? of (the |a )?caches?");

    /** Why a constant is suspicious, or null. */
    private static String suspicion(String name, String value, String text) {
        String comment = LINES.matcher(text).replaceAll("");
        if (Pattern.compile("\\d \\* 1024|1024 \\* \\d").matcher(value).find()) {
            return "KiB";
        }
        if (value.matches("[\\d_L <>*]+")
                && Pattern.compile("\\bcaches?\\b").matcher(comment).find()) {
            return "a cache's size";
        }
        if (Pattern.compile("(two|few|four) threads|threads busy")
                .matcher(comment)
                .find()) {
            return "a number of threads";
        }
        boolean length =
                Pattern.compile("ROW|PIXEL|HEIGHT|WIDTH|COLUMN").matcher(name).find();
        return length
                        && Pattern.compile("\\b(7|14|28|56|112|224)\\b")
                                .matcher(value)
                                .find()
                ? "a side of an image"
                : null;
    }

    private static void look(String file, List<String> lines, Map<String, String> found) {
        StringBuilder comment = new StringBuilder();
        for (String line : lines) {
            String text = line.trim();
            if (text.startsWith("*") || text.startsWith("/*") || text.startsWith("//")) {
                comment.append(' ').append(text);
                continue;
            }
            Matcher constant = CONSTANT.matcher(text);
            if (constant.matches()) {
                String why = suspicion(constant.group(1), constant.group(2), comment.toString());
                if (why != null) {
                    found.put(file.replace(".java", ".") + constant.group(1), why);
                }
            }
            if (!text.startsWith("@")) {
                comment.setLength(0);
            }
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> tree = Files.walk(Path.of("..", module, "src", "main"))) {
                tree.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
            }
        }
        return files;
    }

    @Test
    void constantsAreQuestionsToTheMachine() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (Path file : sources()) {
            look(file.getFileName().toString(), Files.readAllLines(file), found);
        }
        assertEquals(
                String.join("\n", OTHERS.keySet()),
                String.join("\n", found.keySet()),
                () -> "constants that stand for what Machine tells, or that are named here and are gone: " + found);
    }

    @Test
    void eachSortIsFound() {
        Map<String, String> found = new TreeMap<>();
        look(
                "A.java",
                List.of(
                        "/** Weights beyond this do not stay in the second cache. */",
                        "private static final long WEIGHTS = 1 << 20;",
                        "static final int LEAST_CHAIN_ROWS = 14;",
                        "private static final int PIXELS = 8 * 224;",
                        "private static final int BAND = 128 * 1024;",
                        "/** Shares that keep a few threads busy to the end. */",
                        "private static final int SHARES = 8;",
                        "private static final int LANES = 16;"),
                found);
        assertEquals(
                "[A.BAND, A.LEAST_CHAIN_ROWS, A.PIXELS, A.SHARES, A.WEIGHTS]",
                found.keySet().toString());
    }
}
