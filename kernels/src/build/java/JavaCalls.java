import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The table as Java reads it. */
final class JavaCalls {
    private final KernelTable table;
    private final StringBuilder out = new StringBuilder();

    private JavaCalls(KernelTable table) {
        this.table = table;
        line("package org.torchnnapi.kernels.internal.natives;");
        line("");
    }

    /** Classes by their names. */
    static Map<String, String> of(KernelTable table) {
        Map<String, String> classes = new LinkedHashMap<>();
        for (KernelTable.Enumeration e : table.enumerations.values()) {
            if (e.java().isEmpty()) {
                classes.put(Types.capital(e.name()), new JavaCalls(table).numbers(e));
            }
        }
        for (KernelTable.Structure s : table.structures.values()) {
            classes.put(Types.capital(s.name()) + "Struct", new JavaCalls(table).structure(s));
        }
        for (String source : table.sources.keySet()) {
            List<KernelTable.Kernel> kernels = table.kernels.stream()
                    .filter(kernel -> kernel.source().equals(source))
                    .toList();
            if (!kernels.isEmpty()) {
                String name = Types.capital(source.replace(".c", "")) + "Calls";
                classes.put(name, new JavaCalls(table).calls(name, source, kernels));
            }
        }
        return classes;
    }

    private void line(String line) {
        out.append(line).append('\n');
    }

    private void comment(String indent, String text) {
        line(indent + "/**");
        text.lines()
                .forEach(some -> line(indent + " * "
                        + some.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
        line(indent + " */");
    }

    private String numbers(KernelTable.Enumeration e) {
        comment("", (e.text() + "\n").stripLeading() + "Written from kernels.table.");
        line("final class " + Types.capital(e.name()) + " {");
        int value = 0;
        for (Map.Entry<String, String> constant : e.constants().entrySet()) {
            if (!constant.getValue().isEmpty()) {
                comment("    ", constant.getValue());
            }
            line("    static final int " + constant.getKey() + " = " + value++ + ";");
        }
        line("    /** How many there are. */");
        line("    static final int COUNT = " + value + ";");
        line("");
        line("    private " + Types.capital(e.name()) + "() {}");
        line("}");
        return out.toString();
    }

    private String structure(KernelTable.Structure s) {
        String name = Types.capital(s.name()) + "Struct";
        List<KernelTable.Field> fields =
                s.fields().stream().filter(f -> !f.name().equals("unused")).toList();
        comment(
                "",
                "Lays out struct " + s.name() + "; every field is to be set. Written from kernels.table.\n" + s.text());
        line("final class " + name + " extends NativeStruct {");
        int wide = Types.size(table, s, Types.WIDE);
        int narrow = Types.size(table, s, Types.NARROW);
        if (wide == narrow) {
            line("    /** Bytes of one. */");
            line("    static final int BYTES = " + wide + ";");
            for (KernelTable.Field f : fields) {
                line("    static final int " + Types.upper(f.name()) + "_AT = "
                        + Types.offset(table, s, s.fields().indexOf(f), Types.WIDE) + ";");
            }
        }
        line("");
        line("    " + name + "() {");
        line("        super(" + either(wide, narrow) + ", " + fields.size() + ");");
        line("    }");
        for (int i = 0; i < fields.size(); i++) {
            setter(s, name, fields.get(i), i);
        }
        line("}");
        return out.toString();
    }

    private static String either(int wide, int narrow) {
        return wide == narrow ? "" + wide : "wideOrNarrow(" + wide + ", " + narrow + ")";
    }

    private void setter(KernelTable.Structure s, String className, KernelTable.Field f, int index) {
        int field = s.fields().indexOf(f);
        String at = either(Types.offset(table, s, field, Types.WIDE), Types.offset(table, s, field, Types.NARROW));
        boolean nested = table.structures.containsKey(f.type()) && !f.pointer();
        KernelTable.Enumeration enumeration = table.enumerations.get(f.type());
        String java = f.pointer()
                ? "NativeMemory"
                : nested ? Types.capital(f.type()) + "Struct" : Types.inJava(table, f.type());
        String value = java.equals("boolean")
                ? "value ? 1 : 0"
                : enumeration != null && !enumeration.java().isEmpty() ? "value.ordinal()" : "value";
        line("");
        if (!f.text().isEmpty()) {
            comment("    ", f.text());
        }
        line("    " + className + " " + Types.camel(f.name()) + "(" + java + " value) {");
        line("        set(" + index + ", " + at + (f.count() > 0 ? ", " + f.count() : "") + ", " + value + ");");
        line("        return this;");
        line("    }");
    }

    private String calls(String name, String source, List<KernelTable.Kernel> kernels) {
        if (kernels.stream().flatMap(k -> k.operands().stream()).anyMatch(o -> o.reach() != KernelTable.Reach.ARRAY)) {
            line("import org.torchnnapi.tensor.platform.Reachability;");
            line("");
        }
        comment(
                "",
                "The kernels of " + source + "; each is looked up when it is first called. Offsets count elements.\n"
                        + "Written from kernels.table.");
        line("final class " + name + " {");
        // Addresses whose halves were written apart would be complete or 0 too: where pointers have 32 bits the upper
        // half is always 0.
        for (KernelTable.Kernel k : kernels) {
            line("    private static long " + address(k) + ";");
        }
        line("");
        line("    private " + name + "() {}");
        kernels.forEach(this::call);
        line("}");
        return out.toString();
    }

    /** The field that has a kernel's address. */
    private static String address(KernelTable.Kernel k) {
        return Types.camel("address_of_" + k.name());
    }

    private void call(KernelTable.Kernel k) {
        Places places = Places.of(table, k);
        line("");
        if (!k.text().isEmpty()) {
            comment("    ", k.text());
        }
        List<String> parameters = new ArrayList<>();
        for (KernelTable.Operand o : k.operands()) {
            parameters.add(javaType(o) + " " + Types.camel(o.name()));
            if (o.offset()) {
                parameters.add("long " + Types.camel(o.name()) + "Offset");
            }
        }
        for (KernelTable.Field number : k.numbers()) {
            parameters.add(Types.inJava(table, number.type()) + " " + Types.camel(number.name()));
        }
        String result = k.result() == null ? "void" : Types.inJava(table, k.result());
        line("    static " + result + " " + Types.camel(k.name()) + "(");
        line("            " + String.join(",\n            ", parameters) + ") {");
        line("        long function = " + address(k) + ";");
        line("        if (function == 0) {");
        line("            function = NativeLibrary.function(\"" + k.name() + "\");");
        line("            " + address(k) + " = function;");
        line("        }");
        if (k.result() != null) {
            line("        " + result + "[] result = new " + result + "[1];");
        }
        line("        NativeLibrary.run(\n                function,\n                "
                + String.join(",\n                ", arguments(k, places)) + ");");
        for (KernelTable.Operand o : k.operands()) {
            if (o.reach() != KernelTable.Reach.ARRAY) {
                line("        Reachability.fence(" + Types.camel(o.name()) + ");");
            }
        }
        if (k.result() != null) {
            line("        return result[0];");
        }
        line("    }");
    }

    private String javaType(KernelTable.Operand o) {
        return switch (o.reach()) {
            case ANY -> "Object";
            case MEMORY -> "NativeMemory";
            case ARRAY -> {
                String element = Types.inJava(table, o.type());
                yield element.equals("Object") ? element : element + "[]";
            }
        };
    }

    /** Of NativeLibrary.run, behind the function. */
    private List<String> arguments(KernelTable.Kernel k, Places places) {
        List<String> arguments = new ArrayList<>();
        for (String place : List.of("plan", "a", "b", "out")) {
            KernelTable.Operand o = places.operands.get(place);
            if (o == null) {
                arguments.add(place.equals("out") && k.result() != null ? "result" : "null");
                arguments.add("0");
            } else {
                String name = Types.camel(o.name());
                arguments.add(
                        switch (o.reach()) {
                            case ARRAY -> name + ",\n                0";
                            case MEMORY -> "null,\n                NativeMemory.address(" + name + ")";
                            case ANY ->
                                "NativeCall.array(" + name + "),\n                NativeCall.address(" + name + ")";
                        });
            }
            if (!place.equals("plan")) {
                arguments.add(o != null && o.offset() ? Types.camel(o.name()) + "Offset" : "0");
            }
        }
        for (String place : Places.INTEGERS) {
            KernelTable.Field number = places.numbers.get(place);
            if (place.equals("op") && !places.flags.isEmpty()) {
                arguments.add(places.flags.stream()
                        .map(flag -> flag(flag) + (places.shift(flag) == 0 ? "" : " << " + places.shift(flag)))
                        .collect(Collectors.joining(" | ")));
            } else {
                String name = number == null ? "0" : Types.camel(number.name());
                boolean bits = number != null && number.type().equals("float");
                arguments.add(bits ? "Float.floatToRawIntBits(" + name + ")" : name);
            }
        }
        for (String place : Places.FLOATS) {
            KernelTable.Field number = places.numbers.get(place);
            arguments.add(number == null ? "0" : Types.camel(number.name()));
        }
        return arguments;
    }

    private String flag(KernelTable.Field flag) {
        String name = Types.camel(flag.name());
        KernelTable.Enumeration enumeration = table.enumerations.get(flag.type());
        if (enumeration == null) {
            return "(" + name + " ? 1 : 0)";
        }
        return enumeration.java().isEmpty() ? name : name + ".ordinal()";
    }
}
