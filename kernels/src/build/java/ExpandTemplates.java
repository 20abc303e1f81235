import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Writes the unrolled kernels from their one readable definition: {@code java ExpandTemplates.java TEMPLATES OUTPUT}
 * makes the classes of every file in TEMPLATES. A template is Java with directives, each on its own line:
 *
 * <pre>
 * //@ classes Tile7: H=7; Tile4: H=4     first line: the classes to make and their values; $CLASS is the name
 * //@ each p in 0..$H                    repeats the lines up to its end, for 0 to H - 1; also a list: in a, b
 *                                        which may go on behind a comma, in a line that begins with //@ too
 * //@ when $p in a, b                    keeps the lines up to its end if the value is listed
 * //@ end
 * </pre>
 *
 * {@code $name} and {@code ${name}} are replaced everywhere.
 */
final class ExpandTemplates {
    private ExpandTemplates() {}

    public static void main(String[] args) throws IOException {
        Path target = Path.of(args[1]);
        Files.createDirectories(target);
        try (Stream<Path> templates = Files.list(Path.of(args[0]))) {
            for (Path template : templates.sorted().toList()) {
                expand(joined(Files.readAllLines(template)), target);
            }
        }
    }

    /** The lines, with directives that end with a comma joined to what they go on in. */
    private static List<String> joined(List<String> lines) {
        List<String> out = new ArrayList<>();
        for (String line : lines) {
            String last = out.isEmpty() ? "" : out.get(out.size() - 1);
            if (last.trim().startsWith("//@ ") && last.endsWith(",")) {
                out.set(
                        out.size() - 1,
                        last + " " + line.trim().substring("//@ ".length()).trim());
            } else {
                out.add(line);
            }
        }
        return out;
    }

    private static void expand(List<String> lines, Path target) throws IOException {
        String header = lines.get(0).replaceFirst("^//@ classes ", "");
        for (String made : header.split(";")) {
            String[] parts = made.trim().split(":");
            Map<String, String> values = new LinkedHashMap<>(Map.of("CLASS", parts[0].trim()));
            if (parts.length > 1) {
                for (String value : parts[1].trim().split(" +")) {
                    values.put(value.split("=")[0], value.split("=")[1]);
                }
            }
            List<String> out = new ArrayList<>();
            block(lines, 1, lines.size(), values, out);
            Path file = target.resolve(parts[0].trim() + ".java");
            if (!Files.exists(file) || !Files.readAllLines(file).equals(out)) {
                Files.write(file, out);
            }
        }
    }

    private static void block(List<String> lines, int from, int to, Map<String, String> values, List<String> out) {
        for (int i = from; i < to; i++) {
            String line = lines.get(i).trim();
            if (!line.startsWith("//@ ")) {
                out.add(fill(lines.get(i), values));
                continue;
            }
            int end = endOf(lines, i + 1);
            String[] words = fill(line, values).split(" +", 5);
            List<String> list = values(words[4]);
            if (words[1].equals("when") && list.contains(words[2])) {
                block(lines, i + 1, end, values, out);
            } else if (words[1].equals("each")) {
                for (String value : list) {
                    Map<String, String> inner = new LinkedHashMap<>(values);
                    inner.put(words[2], value);
                    block(lines, i + 1, end, inner, out);
                }
            }
            i = end;
        }
    }

    private static int endOf(List<String> lines, int from) {
        int depth = 1;
        for (int i = from; i < lines.size(); i++) {
            String line = lines.get(i).trim();
            depth += line.equals("//@ end") ? -1 : line.startsWith("//@ ") ? 1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        throw new IllegalArgumentException("directive on line " + from + ": no end (expected: a line //@ end)");
    }

    private static List<String> values(String text) {
        if (text.matches("\\d+\\.\\.\\d+")) {
            String[] bounds = text.split("\\.\\.");
            return IntStream.range(Integer.parseInt(bounds[0]), Integer.parseInt(bounds[1]))
                    .mapToObj(Integer::toString)
                    .toList();
        }
        return List.of(text.trim().split(", *"));
    }

    private static String fill(String line, Map<String, String> values) {
        String filled = line;
        for (Map.Entry<String, String> value : values.entrySet()) {
            filled = filled.replace("${" + value.getKey() + "}", value.getValue())
                    .replaceAll("\\$" + value.getKey() + "(?![A-Za-z0-9])", value.getValue());
        }
        return filled;
    }
}
