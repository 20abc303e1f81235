import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The table as C reads it. */
final class CHeaders {
    private static final String WRITTEN = "/* Written by WriteKernels.java from kernels.table. */\n";

    private final KernelTable table;
    private final StringBuilder out = new StringBuilder(WRITTEN);

    private CHeaders(KernelTable table) {
        this.table = table;
    }

    /** The headers by their names. */
    static Map<String, String> of(KernelTable table) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("structures.h", new CHeaders(table).structures());
        headers.put("calls.h", new CHeaders(table).calls());
        headers.put("registry.h", new CHeaders(table).registry());
        return headers;
    }

    /** Lines, each a source and its levels. */
    static String sources(KernelTable table) {
        return table.sources.entrySet().stream()
                .map(entry -> entry.getKey() + " " + String.join(" ", entry.getValue()) + "\n")
                .collect(Collectors.joining());
    }

    private void line(String line) {
        out.append(line).append('\n');
    }

    private void comment(String text) {
        if (!text.isEmpty()) {
            line("/*");
            text.lines().forEach(some -> line(" * " + some));
            line(" */");
        }
    }

    private static String behind(String text) {
        return text.isEmpty() ? "" : " /* " + text + " */";
    }

    private String structures() {
        line("#ifndef TORCHNNAPI_STRUCTURES_H");
        line("#define TORCHNNAPI_STRUCTURES_H");
        line("#include <stddef.h>");
        line("#include <stdint.h>");
        table.enumerations.values().forEach(this::enumeration);
        table.structures.values().forEach(this::structure);
        line("#endif");
        return out.toString();
    }

    private void enumeration(KernelTable.Enumeration e) {
        String prefix = Types.upper(e.name()) + "_";
        comment(e.text());
        line("enum " + e.name() + " {");
        e.constants().forEach((name, text) -> line("    " + prefix + name + "," + behind(text)));
        line("};");
        line("#define EACH_" + Types.upper(e.name()) + "(DO) \\");
        line(e.constants().keySet().stream()
                .map(name -> "    DO(" + prefix + name + ")")
                .collect(Collectors.joining(" \\\n")));
    }

    private void structure(KernelTable.Structure s) {
        comment(s.text());
        line("struct " + s.name() + " {");
        for (KernelTable.Field f : s.fields()) {
            line("    " + (f.pointer() ? "const " : "") + Types.inC(table, f.type()) + " " + (f.pointer() ? "*" : "")
                    + f.name() + (f.count() > 0 ? "[" + f.count() + "]" : "") + ";" + behind(f.text()));
        }
        line("};");
        for (int i = 0; i < s.fields().size(); i++) {
            same("offsetof(struct " + s.name() + ", " + s.fields().get(i).name() + ")", s, i);
        }
        same("sizeof(struct " + s.name() + ")", s, s.fields().size());
    }

    /** That an offset, or behind the last field the size, is what Java takes it for. */
    private void same(String expression, KernelTable.Structure s, int index) {
        int wide = Types.offset(table, s, index, Types.WIDE);
        int narrow = Types.offset(table, s, index, Types.NARROW);
        String expected =
                wide == narrow ? "" + wide : "(sizeof(void *) == " + Types.WIDE + " ? " + wide + " : " + narrow + ")";
        line("_Static_assert(" + expression + " == " + expected + ", \"as Java has it\");");
    }

    private String calls() {
        line("#ifndef TORCHNNAPI_CALLS_H");
        line("#define TORCHNNAPI_CALLS_H");
        line("#include \"export.h\"");
        line("#include \"isa.h\"");
        line("#include \"structures.h\"");
        comment("The places of the one signature that kernels have: linking another costs the Java side milliseconds at"
                + " the start.\nA function of jni.c fills them.");
        line("struct call {");
        line("    const void *plan, *a;");
        line("    int64_t a_at;");
        line("    const void *b;");
        line("    int64_t b_at;");
        line("    void *out;");
        line("    int64_t out_at;");
        line("    int32_t " + String.join(", ", Places.INTEGERS) + ";");
        line("    float " + String.join(", ", Places.FLOATS) + ";");
        line("};");
        line("#define CALL_PARAMETERS \\");
        line("    const void *plan, const void *a, int64_t a_at, const void *b, int64_t b_at, void *out,"
                + " int64_t out_at, \\");
        line("            int32_t op, int32_t n, int32_t m, int32_t k, int32_t i, int32_t j, float p, float q");
        line("#define CALL_PLACES plan, a, a_at, b, b_at, out, out_at, op, n, m, k, i, j, p, q");
        line("typedef void kernel_function(CALL_PARAMETERS);");
        line("union number {");
        line("    int32_t bits;");
        line("    float value;");
        line("};");
        table.kernels.forEach(this::kernel);
        line("/* Functions, each of the level that NAME gives. */");
        table.kernels.forEach(k -> line("EXPORT kernel_function NAME(" + k.name() + ");"));
        table.others.forEach(this::other);
        line("#endif");
        return out.toString();
    }

    private void kernel(KernelTable.Kernel k) {
        Places places = Places.of(table, k);
        comment(k.text());
        line("struct " + k.name() + "_call {");
        for (KernelTable.Operand o : k.operands()) {
            line("    " + (o.constant() ? "const " : "") + Types.inC(table, o.type()) + " *" + o.name() + ";");
        }
        if (k.result() != null) {
            line("    " + Types.inC(table, k.result()) + " *result;");
        }
        for (KernelTable.Field number : k.numbers()) {
            line("    " + Types.inC(table, number.type()) + " " + number.name() + ";");
        }
        line("};");
        taken(k, places);
        given(k, places);
    }

    /** What a kernel takes from its places. */
    private void taken(KernelTable.Kernel k, Places places) {
        List<String> values = new ArrayList<>();
        List<String> before = new ArrayList<>();
        for (KernelTable.Operand o : k.operands()) {
            String place = places.placeOf(o);
            String pointer = "(" + (o.constant() ? "const " : "") + Types.inC(table, o.type()) + " *) c->" + place;
            values.add("." + o.name() + " = " + pointer + (o.offset() ? " + c->" + place + "_at" : ""));
        }
        if (k.result() != null) {
            values.add(".result = c->out");
        }
        for (KernelTable.Field number : k.numbers()) {
            String value;
            if (places.flags.contains(number)) {
                value = "(" + Types.inC(table, number.type()) + ") (c->op >> " + places.shift(number) + " & 255)";
            } else {
                String place = places.placeOf(number);
                boolean bits = number.type().equals("float") && Places.INTEGERS.contains(place);
                if (bits) {
                    before.add("    const union number " + number.name() + " = {.bits = c->" + place + "};");
                }
                value = bits ? number.name() + ".value" : "c->" + place;
            }
            values.add("." + number.name() + " = " + value);
        }
        line("static inline struct " + k.name() + "_call take_" + k.name() + "(const struct call *c) {");
        before.forEach(this::line);
        line("    return (struct " + k.name() + "_call) {");
        values.forEach(value -> line("            " + value + ","));
        line("    };");
        line("}");
    }

    /** A call of a kernel from C, as tests do it. */
    private void given(KernelTable.Kernel k, Places places) {
        List<String> arguments = new ArrayList<>();
        for (String place : List.of("plan", "a", "b", "out")) {
            KernelTable.Operand operand = places.operands.get(place);
            boolean result = place.equals("out") && k.result() != null;
            // What is only read by the signature may be memory that the kernel writes to.
            arguments.add(operand != null ? "c->" + operand.name() : result ? "c->result" : "0");
            if (!place.equals("plan")) {
                arguments.add("0");
            }
        }
        for (String place : Places.INTEGERS) {
            KernelTable.Field number = places.numbers.get(place);
            if (place.equals("op") && !places.flags.isEmpty()) {
                arguments.add(places.flags.stream()
                        .map(flag -> "(int32_t) c->" + flag.name() + " << " + places.shift(flag))
                        .collect(Collectors.joining(" | ")));
            } else if (number == null) {
                arguments.add("0");
            } else if (number.type().equals("float")) {
                arguments.add("((union number) {.value = c->" + number.name() + "}).bits");
            } else {
                arguments.add("c->" + number.name());
            }
        }
        for (String place : Places.FLOATS) {
            KernelTable.Field number = places.numbers.get(place);
            arguments.add(number == null ? "0" : "c->" + number.name());
        }
        line("static inline void call_" + k.name() + "(kernel_function *function, const struct " + k.name()
                + "_call *c) {");
        line("    function(" + String.join(", ", arguments) + ");");
        line("}");
    }

    private void other(KernelTable.Other f) {
        comment(f.text());
        String name = "NAME(" + f.name() + ")(";
        String plan = "const struct " + f.plan() + " *plan, ";
        line(
                switch (f.signature()) {
                    case "work" ->
                        "EXPORT void " + name + plan + "const float *in, int64_t in_at, const float *second,\n"
                                + "        int64_t second_at, float *out, int64_t out_at, float *scratch,"
                                + " int32_t begin, int32_t end);";
                    case "pack" ->
                        "EXPORT void " + name + plan + "const float *weights, int64_t out_step, int64_t channel_step,\n"
                                + "        const int32_t *taps, const float *bias, float *packed, float *padded);";
                    case "layer" ->
                        "EXPORT void " + name + plan + "const struct walk *walk, const float *in, int64_t in_at,\n"
                                + "        float *out, int64_t out_at, float *state);";
                    case "rounds" -> "EXPORT int32_t " + name + "int32_t rounds);";
                    default -> "EXPORT int32_t " + name + "void);";
                });
    }

    private String registry() {
        line("#ifndef TORCHNNAPI_REGISTRY_H");
        line("#define TORCHNNAPI_REGISTRY_H");
        String directive = "#if";
        for (String processor : table.processors.keySet()) {
            line(directive + " defined(__" + processor + "__)");
            line("#define EACH_LEVEL(DO) "
                    + table.processors.get(processor).stream()
                            .map(level -> "DO(" + level + ")")
                            .collect(Collectors.joining(" ")));
            directive = "#elif";
        }
        line("#endif");
        for (String condition : conditions()) {
            line("#if defined(" + condition + ")");
            line("#define IF_" + condition + "(DO) DO");
            line("#else");
            line("#define NOTHING(function)");
            line("#define IF_" + condition + "(DO) NOTHING");
            line("#endif");
        }
        directive = "#if";
        for (String level : table.levels()) {
            line(directive + " defined(ISA_" + Types.upper(level) + ")");
            line("#define EACH_FUNCTION(DO) \\\n    " + String.join(" \\\n    ", functions(level)));
            directive = "#elif";
        }
        line("#endif");
        line("#endif");
        return out.toString();
    }

    private List<String> conditions() {
        return table.kernels.stream()
                .map(KernelTable.Kernel::condition)
                .filter(condition -> condition != null)
                .distinct()
                .toList();
    }

    private List<String> functions(String level) {
        List<String> functions = new ArrayList<>();
        for (KernelTable.Kernel k : table.kernels) {
            if (k.levels().contains(level)) {
                String each = k.condition() == null ? "DO" : "IF_" + k.condition() + "(DO)";
                functions.add(each + "(" + k.name() + ")");
            }
        }
        for (KernelTable.Other f : table.others) {
            if (f.levels().contains(level)) {
                functions.add("DO(" + f.name() + ")");
            }
        }
        return functions;
    }
}
