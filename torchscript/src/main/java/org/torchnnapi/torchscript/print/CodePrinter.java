package org.torchnnapi.torchscript.print;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Type;

/**
 * Writes classes and functions, and all that these use, as the source records of an archive. Graphs are taken as they
 * are when {@link #print} is called; functions are known by their qualified names, so that a graph changed or made here
 * is written by giving its {@link Function} such a name. For one thread.
 */
public final class CodePrinter {
    private static final String ROOT = "__torch__.";

    private final ConstantTable constants = new ConstantTable();
    private final Map<String, PrintedFile> files = new LinkedHashMap<>();
    /** Types and functions by qualified name. */
    private final Map<String, Object> mentioned = new HashMap<>();

    private final List<Object> queue = new ArrayList<>();
    private final java.util.function.Function<String, Map<String, Object>> fieldDefaults;
    private final OperatorVersions versions = new OperatorVersions();

    /** @param fieldDefaults default values by field name of the named tuple of that qualified name; empty for none */
    public CodePrinter(java.util.function.Function<String, Map<String, Object>> fieldDefaults) {
        this.fieldDefaults = fieldDefaults;
    }

    /** For code without default values in named tuples. */
    public CodePrinter() {
        this(name -> Map.of());
    }

    /** A function or a method's graph on its own, as it stands in a file; what it uses is not written. */
    public static String text(Function function) {
        PrintedFile file = new PrintedFile(new ConstantTable(), needed -> {}, kind -> {});
        FunctionPrinter.print(file, function, 0);
        return file.text().toString();
    }

    /**
     * Adds a named type: a class, a named tuple or an enum; other types add those named in them.
     *
     * @throws IllegalArgumentException if another type of its name was added or is used
     */
    public CodePrinter add(Type type) {
        mention(type);
        return this;
    }

    /** Adds a free function. */
    public CodePrinter add(Function function) {
        mention(function);
        return this;
    }

    /** The number by which the texts call a constant; a value that no text holds may be added too. */
    public int constant(Object value) {
        return constants.number(value);
    }

    /**
     * Writes what was added and all that it uses.
     *
     * @throws IllegalArgumentException if two types or functions share a name, or one has a name that no archive can
     *     hold
     * @throws IllegalStateException if a graph is broken
     */
    public PrintedCode print() {
        // The queue grows while what is in it is written.
        for (int i = 0; i < queue.size(); i++) {
            write(queue.get(i));
        }
        queue.clear();
        Map<String, String> sources = new LinkedHashMap<>();
        Map<String, List<PrintedCode.Mark>> marks = new LinkedHashMap<>();
        files.forEach((record, file) -> {
            sources.put(record, file.text().toString());
            marks.put(record, List.copyOf(file.text().marks()));
        });
        return new PrintedCode(sources, marks, new ArrayList<>(constants.values()), versions.least());
    }

    private void mention(Object used) {
        if (used instanceof Type type) {
            mention(type);
        } else if (used instanceof Function function) {
            enqueue(function.qualifiedName(), function);
        }
    }

    private void mention(Type type) {
        if (type instanceof ClassType named) {
            enqueue(named.name(), named);
        } else if (type instanceof Type.EnumType named) {
            enqueue(named.name(), named);
        } else if (type instanceof Type.ListType list) {
            mention(list.element());
        } else if (type instanceof Type.DictType dict) {
            mention(dict.key());
            mention(dict.value());
        } else if (type instanceof Type.OptionalType optional) {
            mention(optional.element());
        } else if (type instanceof Type.FutureType future) {
            mention(future.element());
        } else if (type instanceof Type.UnionType union) {
            union.members().forEach(this::mention);
        } else if (type instanceof Type.TupleType tuple) {
            if (tuple.name() != null) {
                enqueue(tuple.name(), tuple);
            } else {
                tuple.elements().forEach(this::mention);
            }
        }
    }

    private void enqueue(String name, Object what) {
        Object known = mentioned.putIfAbsent(name, what);
        if (known == null) {
            queue.add(what);
        } else if (!known.equals(what) && !(known instanceof Function && what instanceof Function)) {
            throw new IllegalArgumentException(
                    "name: " + name + " stands for two different types (expected: one name for each)");
        }
    }

    private void write(Object what) {
        if (what instanceof Function function) {
            FunctionPrinter.print(file(function.qualifiedName()), function, 0);
        } else if (what instanceof ClassType type) {
            PrintedFile file = file(type.name());
            if (type.kind() != ClassType.Kind.CUSTOM) {
                new ClassPrinter(file).print(type);
            }
        } else if (what instanceof Type.TupleType type) {
            new ClassPrinter(file(type.name())).print(type, fieldDefaults.apply(type.name()));
        } else if (what instanceof Type.EnumType type) {
            new ClassPrinter(file(type.name())).print(type);
        }
    }

    private PrintedFile file(String name) {
        int dot = name.lastIndexOf('.');
        if (!(name + ".").startsWith(ROOT) || dot < 0) {
            throw new IllegalArgumentException("name: " + name + " (expected: one that begins with " + ROOT + ")");
        }
        String record = "code/" + name.substring(0, dot).replace('.', '/') + ".py";
        return files.computeIfAbsent(record, r -> new PrintedFile(constants, this::mention, versions::used));
    }
}
