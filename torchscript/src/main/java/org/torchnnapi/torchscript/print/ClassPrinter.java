package org.torchnnapi.torchscript.print;

import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Predicate;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Identifiers;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/** Class statements: modules, plain classes, interfaces, named tuples and enums. */
final class ClassPrinter {
    private final PrintedFile file;
    private final MarkedText out;

    ClassPrinter(PrintedFile file) {
        this.file = file;
        out = file.text();
    }

    void print(ClassType type) {
        switch (type.kind()) {
            case MODULE -> {
                head(type.name(), "Module");
                names("__parameters__", names(type, ClassType.Attribute::isParameter));
                names("__buffers__", names(type, ClassType.Attribute::isBuffer));
                if (!type.forwardPreHooks().isEmpty()) {
                    names("__forward_pre_hooks__", type.forwardPreHooks());
                }
                if (!type.forwardHooks().isEmpty()) {
                    names("__forward_hooks__", type.forwardHooks());
                }
                attributes(type);
            }
            case OBJECT -> {
                head(type.name(), null);
                attributes(type);
            }
            case INTERFACE -> head(type.name(), "ModuleInterface");
            case CUSTOM ->
                throw new IllegalArgumentException(
                        "class: " + type.name() + " (expected: one that is written in TorchScript)");
        }
        for (Function method : type.methods()) {
            FunctionPrinter.print(file, method, 1);
        }
        if (type.methods().isEmpty()
                && type.attributes().isEmpty()
                && type.constants().isEmpty()
                && type.kind() != ClassType.Kind.MODULE) {
            line("pass");
        }
    }

    private void head(String name, String base) {
        out.append(
                "class " + name.substring(name.lastIndexOf('.') + 1) + (base == null ? "" : "(" + base + ")") + ":\n");
    }

    private void line(String text) {
        out.append("  " + text + "\n");
    }

    private static List<String> names(ClassType type, Predicate<ClassType.Attribute> wanted) {
        return type.attributes().stream()
                .filter(wanted)
                .map(ClassType.Attribute::name)
                .collect(Streams.toList());
    }

    private void names(String list, List<String> names) {
        StringJoiner text = new StringJoiner("", list + " = [", "]");
        names.forEach(name -> text.add(LiteralPrinter.quoted(name) + ", "));
        line(text.toString());
    }

    private void attributes(ClassType type) {
        List<ClassType.Attribute> attributes = type.attributes();
        if (!attributes.isEmpty() && !Identifiers.isPlain(attributes.get(0).name())) {
            line("__annotations__ = []");
        }
        for (ClassType.Attribute attribute : attributes) {
            String name = attribute.name();
            line((Identifiers.isPlain(name) ? name + " : " : "__annotations__[" + LiteralPrinter.quoted(name) + "] = ")
                    + file.type(attribute.type()));
        }
        type.constants()
                .forEach((name, value) -> line(name + " : Final[" + file.type(RuntimeTypes.of(value)) + "] = "
                        + file.literals().text(value)));
    }

    void print(Type.TupleType type, Map<String, Object> defaults) {
        head(type.name(), "NamedTuple");
        for (int i = 0; i < type.fields().size(); i++) {
            String field = type.fields().get(i);
            line(field + " : " + file.type(type.elements().get(i))
                    + (defaults.containsKey(field) ? " = " + file.literals().text(defaults.get(field)) : ""));
        }
    }

    void print(Type.EnumType type) {
        head(type.name(), "Enum");
        for (int i = 0; i < type.members().size(); i++) {
            line(type.members().get(i) + " = "
                    + file.literals().text(type.values().get(i)));
        }
    }
}
