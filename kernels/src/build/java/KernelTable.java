import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What kernels.table says, whose head describes its grammar. */
final class KernelTable {
    /** @param java the class that Java has for it; empty for numbers alone */
    record Enumeration(String name, String java, Map<String, String> constants, String text) {}

    /**
     * @param pointer whether it points to what {@code type} says
     * @param count of an array's values; 0 for a single one
     * @param text what it is; may be empty
     */
    record Field(String type, boolean pointer, int count, String name, String text) {}

    record Structure(String name, List<Field> fields, String text) {}

    /** Where an operand may be. */
    enum Reach {
        ARRAY,
        MEMORY,
        ANY
    }

    /** @param offset whether it begins at an offset */
    record Operand(String type, boolean constant, Reach reach, boolean offset, String name) {}

    /**
     * @param result the type that it returns; null for none
     * @param condition a macro without which it is not there; null for none
     */
    record Kernel(
            String source,
            String name,
            String result,
            List<Operand> operands,
            List<Field> numbers,
            List<String> levels,
            String condition,
            String text) {}

    /** A function with another signature. */
    record Other(String source, String signature, String name, String plan, List<String> levels, String text) {}

    private static final Pattern ARGUMENT = Pattern.compile("(?:(memory|any) )?(const )?(\\w+) ?(\\*)?(\\w+)(\\[])?");
    private static final Pattern FIELD_NAME = Pattern.compile("(\\*)?(\\w+)(?:\\[(\\d+)])?");

    final Map<String, List<String>> processors = new LinkedHashMap<>();
    final Map<String, List<String>> groups = new LinkedHashMap<>();
    final Map<String, Enumeration> enumerations = new LinkedHashMap<>();
    final Map<String, Structure> structures = new LinkedHashMap<>();
    /** In the order of the alphabet, each with its levels. */
    final Map<String, List<String>> sources = new TreeMap<>();

    final List<Kernel> kernels = new ArrayList<>();
    final List<Other> others = new ArrayList<>();
    private final List<String> lines;
    private int at;
    private String source;
    private String text = "";

    private KernelTable(List<String> lines) {
        this.lines = lines;
    }

    static KernelTable read(Path file) throws IOException {
        KernelTable table = new KernelTable(Files.readAllLines(file));
        while (table.at < table.lines.size()) {
            String line = table.lines.get(table.at);
            try {
                table.line(line.trim());
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        file + ", line " + (table.at + 1) + ": " + line.trim() + ": " + e.getMessage(), e);
            }
            table.at++;
        }
        return table;
    }

    /** The levels of all processors, each once. */
    List<String> levels() {
        return processors.values().stream().flatMap(List::stream).distinct().toList();
    }

    private void line(String line) {
        if (line.startsWith("//")) {
            text += (text.isEmpty() ? "" : "\n") + line.substring(2).trim();
            return;
        }
        if (line.isEmpty() || line.startsWith("#")) {
            require(text.isEmpty(), "a description of nothing (expected: what it describes in the next line)");
            return;
        }
        String[] words = line.split("[ :]+", 2);
        switch (words[0]) {
            case "levels" -> {
                String[] parts = words[1].split(": *");
                processors.put(parts[0], List.of(parts[1].split(" ")));
            }
            case "group" -> {
                String[] parts = words[1].split(": *");
                groups.put(parts[0], levels(parts[1]));
            }
            case "enum" -> enumeration(words[1]);
            case "struct" -> structure(words[1]);
            case "source" -> {
                String[] parts = words[1].split(": *");
                source = parts[0];
                require(sources.put(source, levels(parts[1])) == null, "a source for the second time");
            }
            case "kernel" -> kernel(words[1]);
            case "work", "pack", "layer", "number", "rounds" -> other(words[0], words[1]);
            default ->
                throw new IllegalArgumentException("unknown: " + words[0]
                        + " (expected: levels, group, enum, struct, source, kernel, work, pack, layer, number"
                        + " or rounds)");
        }
        text = "";
    }

    private List<String> levels(String names) {
        List<String> levels = new ArrayList<>();
        for (String name : names.trim().split(" +")) {
            List<String> some = groups.getOrDefault(name, List.of(name));
            require(levels().containsAll(some), name + " is no level (expected: one of " + levels() + ")");
            levels.addAll(some);
        }
        return List.copyOf(levels);
    }

    private void enumeration(String rest) {
        Matcher head = match("(\\w+)(?: = ([\\w.]+))? \\{", rest);
        Map<String, String> constants = new LinkedHashMap<>();
        for (String line = next(); !line.equals("}"); line = next()) {
            String[] parts = line.split(" *// *", 2);
            for (String name : parts[0].split(", *")) {
                constants.put(match("([A-Z][A-Z0-9_]*)", name).group(1), parts.length > 1 ? parts[1] : "");
            }
        }
        String java = head.group(2) == null ? "" : head.group(2);
        enumerations.put(head.group(1), new Enumeration(head.group(1), java, constants, text));
    }

    private void structure(String rest) {
        String name = match("(\\w+) \\{", rest).group(1);
        List<Field> fields = new ArrayList<>();
        for (String line = next(); !line.equals("}"); line = next()) {
            String[] parts = line.split(" *// *", 2);
            Matcher m = match("(?:const )?(\\w+) (.*)", parts[0]);
            for (String declared : m.group(2).split(", *")) {
                Matcher field = FIELD_NAME.matcher(declared);
                require(field.matches(), declared + " is no field (expected: NAME, *NAME or NAME[COUNT])");
                boolean pointer = field.group(1) != null;
                require(
                        Types.isKnown(this, m.group(1)),
                        m.group(1) + " is no type (expected: one of C, or one that stands above)");
                int count = field.group(3) == null ? 0 : Integer.parseInt(field.group(3));
                fields.add(new Field(m.group(1), pointer, count, field.group(2), parts.length > 1 ? parts[1] : ""));
            }
        }
        require(fields.size() <= Integer.SIZE, fields.size() + " fields (expected: at most " + Integer.SIZE + ")");
        structures.put(name, new Structure(name, List.copyOf(fields), text));
    }

    private void kernel(String first) {
        StringBuilder whole = new StringBuilder(first);
        while (whole.indexOf(")") < 0
                || at + 1 < lines.size() && lines.get(at + 1).startsWith(" ")) {
            whole.append(' ').append(next());
        }
        Matcher m = match("(?:(\\w+) )?(\\w+)\\((.*)\\)(?: only ([\\w ]+?))?(?: if (\\w+))?", whole.toString());
        List<Operand> operands = new ArrayList<>();
        List<Field> numbers = new ArrayList<>();
        for (String argument : m.group(3).split(", *")) {
            Matcher a = match(ARGUMENT.pattern(), argument);
            boolean offset = a.group(6) != null;
            String type = a.group(3);
            if (offset || a.group(4) != null) {
                require(type.equals("void") || Types.isKnown(this, type), type + " is no type");
                Reach reach = a.group(1) == null && !structures.containsKey(type)
                        ? Reach.ARRAY
                        : "any".equals(a.group(1)) ? Reach.ANY : Reach.MEMORY;
                operands.add(new Operand(type, a.group(2) != null, reach, offset, a.group(5)));
            } else {
                require(
                        enumerations.containsKey(type)
                                || List.of("int32_t", "float", "bool").contains(type),
                        type + " is no number (expected: int32_t, float, bool or an enumeration)");
                numbers.add(new Field(type, false, 0, a.group(5), ""));
            }
        }
        kernels.add(new Kernel(
                source,
                m.group(2),
                m.group(1),
                List.copyOf(operands),
                List.copyOf(numbers),
                m.group(4) == null ? sources.get(source) : levels(m.group(4)),
                m.group(5),
                text));
    }

    private void other(String signature, String rest) {
        Matcher m = match("(\\w+)(?:\\((\\w+)\\))?", rest);
        boolean plan = List.of("work", "pack", "layer").contains(signature);
        require(
                plan ? structures.containsKey(m.group(2)) : m.group(2) == null,
                m.group(2) + " as its plan (expected: " + (plan ? "a structure" : "none") + ")");
        others.add(new Other(source, signature, m.group(1), m.group(2), sources.get(source), text));
    }

    private String next() {
        at++;
        require(at < lines.size(), "no end (expected: } or a closing parenthesis)");
        return lines.get(at).trim();
    }

    private static Matcher match(String pattern, String value) {
        Matcher m = Pattern.compile(pattern).matcher(value);
        require(m.matches(), value + " is not understood (expected: " + pattern + ")");
        return m;
    }

    private static void require(boolean fulfilled, String message) {
        if (!fulfilled) {
            throw new IllegalArgumentException(message);
        }
    }
}
