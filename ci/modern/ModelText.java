import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A text file of models. It holds, between comments that begin with #,
 *
 * <ul>
 *   <li>templates: {@code module Name(p, q):} and, indented, attributes {@code weight = torch.randn([{p}, {q}])} or
 *       {@code conv = Other({p}, 3)}, where Other is a template, and then methods in TorchScript; what stands in braces
 *       is replaced by the argument's text;
 *   <li>cases: {@code case name = Name(3, 4) | torch.randn([1, 3]), 5}, with the inputs of a call behind the bar, and
 *       {@code case name! = ...} for a model that remembers its calls;
 *   <li>operators: {@code op name | x=torch.randn([3]); n:int=2 | torch.something(x, n)}, a case of a module that only
 *       computes the expression, or of a body of statements with semicolons between them, of which the last is the
 *       result.
 * </ul>
 */
record ModelText(String name, Map<String, Template> templates, List<Case> cases) {
    private static final Pattern CALL = Pattern.compile("(\\w+)\\((.*)\\)");
    private static final Pattern INPUT = Pattern.compile("(\\w+)(?::([^=]+))?=(.*)");

    /** PyTorch's compiler knows types by their numbers only; Python's names stand for those. */
    private static final Map<String, Integer> DTYPES = Map.ofEntries(
            Map.entry("uint8", 0),
            Map.entry("int8", 1),
            Map.entry("int16", 2),
            Map.entry("int32", 3),
            Map.entry("long", 4),
            Map.entry("half", 5),
            Map.entry("float", 6),
            Map.entry("double", 7),
            Map.entry("cfloat", 9),
            Map.entry("bool", 11),
            Map.entry("qint8", 12),
            Map.entry("quint8", 13),
            Map.entry("bfloat16", 15));

    private static final Pattern DTYPE =
            Pattern.compile("torch\\.(" + String.join("|", DTYPES.keySet()) + ")\\b(?!\\()");

    record Template(List<String> parameters, List<String> lines) {}

    /** @param stateful whether it may answer otherwise the second time */
    record Case(String name, String template, List<String> arguments, List<String> inputs, boolean stateful) {}

    /** @param template null for a tensor, which {@code expression} gives */
    record Attribute(String name, String expression, String template, List<String> arguments) {}

    record Body(List<Attribute> attributes, String methods) {}

    static List<ModelText> all(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.list(folder)) {
            files = found.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
        List<ModelText> texts = new ArrayList<>();
        for (Path file : files) {
            texts.add(parse(file.getFileName().toString().replace(".txt", ""), Files.readAllLines(file)));
        }
        return texts;
    }

    private static ModelText parse(String name, List<String> lines) {
        ModelText text = new ModelText(name, new LinkedHashMap<>(), new ArrayList<>());
        Template open = null;
        for (String given : lines) {
            String line = DTYPE.matcher(given).replaceAll(dtype -> String.valueOf(DTYPES.get(dtype.group(1))));
            if (line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("    ") || line.isBlank()) {
                if (open != null) {
                    open.lines.add(line.isBlank() ? "" : line.substring(4));
                }
            } else if (line.startsWith("module ")) {
                Matcher call = call(line.substring("module ".length(), line.length() - 1));
                open = new Template(split(call.group(2), ','), new ArrayList<>());
                text.templates.put(call.group(1), open);
            } else if (line.startsWith("case ")) {
                String[] parts = line.substring("case ".length()).split(" \\| ", 2);
                String[] made = parts[0].split(" = ", 2);
                Matcher call = call(made[1].strip());
                text.cases.add(new Case(
                        made[0].replace("!", ""),
                        call.group(1),
                        split(call.group(2), ','),
                        split(parts[1], ','),
                        made[0].endsWith("!")));
            } else if (line.startsWith("op ")) {
                text.operator(line.substring("op ".length()).split(" \\| ", 3));
            } else {
                throw new IllegalArgumentException(name + ": " + line + " (expected: module, case or op)");
            }
        }
        return text;
    }

    private void operator(String[] parts) {
        List<String> declared = new ArrayList<>();
        List<String> inputs = new ArrayList<>();
        for (String input : split(parts[1], ';')) {
            Matcher matcher = INPUT.matcher(input.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        parts[0] + ": input " + input + " (expected: name=value or name:type=value)");
            }
            declared.add(matcher.group(1) + ": " + (matcher.group(2) == null ? "Tensor" : matcher.group(2)));
            inputs.add(matcher.group(3));
        }
        List<String> lines = new ArrayList<>(List.of("def forward(self, " + String.join(", ", declared) + "):"));
        List<String> statements = split(parts[2], ';');
        for (String statement : statements.subList(0, statements.size() - 1)) {
            lines.add("    " + statement.strip());
        }
        lines.add("    return " + statements.get(statements.size() - 1).strip());
        String template = "Operator" + templates.size();
        templates.put(template, new Template(List.of(), lines));
        cases.add(new Case(parts[0].strip(), template, List.of(), inputs, false));
    }

    Body instantiate(String template, List<String> arguments) {
        Template made = templates.get(template);
        if (made.parameters.size() != arguments.size()) {
            throw new IllegalArgumentException(template + "(" + arguments + ") (expected: " + made.parameters + ")");
        }
        List<Attribute> attributes = new ArrayList<>();
        StringBuilder methods = new StringBuilder();
        for (String line : made.lines) {
            for (int i = 0; i < arguments.size(); i++) {
                line = line.replace(
                        "{" + made.parameters.get(i).strip() + "}",
                        arguments.get(i).strip());
            }
            if (line.startsWith("def ") || methods.length() > 0) {
                methods.append(line).append('\n');
            } else if (!line.isBlank()) {
                attributes.add(attribute(line));
            }
        }
        return new Body(attributes, methods.toString());
    }

    private Attribute attribute(String line) {
        String[] parts = line.split(" = ", 2);
        Matcher call = CALL.matcher(parts[1].strip());
        return call.matches() && templates.containsKey(call.group(1))
                ? new Attribute(parts[0].strip(), null, call.group(1), split(call.group(2), ','))
                : new Attribute(parts[0].strip(), parts[1], null, Collections.emptyList());
    }

    private static Matcher call(String text) {
        Matcher call = CALL.matcher(text);
        if (!call.matches()) {
            throw new IllegalArgumentException(text + " (expected: Name(arguments))");
        }
        return call;
    }

    /** The parts between separators that stand outside of brackets and quotes. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            quoted ^= c == '"';
            depth += !quoted && "([{".indexOf(c) >= 0 ? 1 : !quoted && ")]}".indexOf(c) >= 0 ? -1 : 0;
            if (c == separator && depth == 0 && !quoted) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        if (!text.substring(start).isBlank()) {
            parts.add(text.substring(start));
        }
        return parts;
    }
}
