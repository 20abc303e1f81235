package org.torchnnapi.torchscript.source;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.ir.Type;

/**
 * The classes and functions of an archive by qualified name. A file is parsed when a name in it is first asked for, the
 * attributes of a class are read with it, and a function's signature and graph when they are first needed; so names may
 * be used before they are defined, in any file. Safe for use by several threads.
 */
public final class CodeLoader {
    private static final String ROOT = "__torch__";
    private static final String CUSTOM_PREFIX = "__torch__.torch.classes.";
    private static final int MAX_NESTED_TUPLES = 64;

    /** The definitions of a file by name. */
    private record Definitions(
            String entry, Map<String, Tree.ClassTree> classes, Map<String, Tree.Definition> functions) {}

    private final CodeArchive archive;
    private final OperatorFacts operators;
    private final Map<String, List<FunctionSchema>> overloads = new ConcurrentHashMap<>();
    private final Map<String, Type> annotated = new ConcurrentHashMap<>();
    private final Map<String, Definitions> files = new HashMap<>();
    private final ClassTwins twins = new ClassTwins();
    private final Map<String, Type> types = new HashMap<>();
    private final Map<String, Function> functions = new HashMap<>();
    private final Map<String, Map<String, Object>> fieldDefaults = new ConcurrentHashMap<>();
    private final ArrayDeque<Runnable> unfinished = new ArrayDeque<>();
    private final Set<String> openTuples = new HashSet<>();
    private boolean finishing;
    private SourceException broken;
    private volatile Upgraders upgraders;

    /** @param operators what calls are matched with */
    public CodeLoader(CodeArchive archive, OperatorFacts operators) {
        this.archive = archive;
        this.operators = operators;
    }

    CodeArchive archive() {
        return archive;
    }

    /** The signatures of an operator's overloads. */
    List<FunctionSchema> overloads(String kind) {
        return overloads.computeIfAbsent(kind, operators::schemas);
    }

    /** The signatures of overloads that follow from those by rule. */
    List<FunctionSchema> derived(String kind) {
        return operators.derived(kind);
    }

    /** Functions in place of an operator that meant something else when the archive was written. */
    List<Function> upgraders(String kind) {
        int version = archive.operatorVersion();
        if (version >= Upgraders.LATEST) {
            return List.of();
        }
        synchronized (this) {
            if (upgraders == null) {
                upgraders = new Upgraders(operators);
            }
        }
        return upgraders.functions(kind, version);
    }

    /**
     * A class, interface, named tuple, enum or custom class.
     *
     * @param name qualified, for example {@code __torch__.net.Net}
     * @return the type, or null if no file defines it
     * @throws SourceException if its source is broken
     */
    public synchronized Type type(String name) {
        if (broken != null) {
            throw broken;
        }
        Type known = types.get(name);
        if (known != null) {
            return known;
        }
        if (!isQualified(name)) {
            return null;
        }
        Type type = declare(name);
        finish();
        return type;
    }

    /**
     * A class, module, interface or custom class.
     *
     * @throws IllegalArgumentException if there is no such class
     */
    public ClassType classType(String name) {
        if (type(name) instanceof ClassType type) {
            return type;
        }
        throw new IllegalArgumentException("class: " + name + " (expected: a class defined in the archive's code)");
    }

    /** A free function, or null if no file defines it. */
    public synchronized Function function(String name) {
        Function known = functions.get(name);
        if (known != null || !isQualified(name)) {
            return known;
        }
        Definitions file = file(name);
        Tree.Definition definition = file == null ? null : file.functions().get(lastName(name));
        if (definition == null) {
            return null;
        }
        Function function = LazyFunction.of(this, definition, name);
        functions.put(name, function);
        return function;
    }

    /** What a type that is written so is; null if none was yet. */
    Type annotated(String text) {
        return annotated.get(text);
    }

    void annotated(String text, Type type) {
        annotated.put(text, type);
    }

    /** Default values by field of the named tuple of that qualified name. */
    public Map<String, Object> fieldDefaults(String name) {
        return fieldDefaults.getOrDefault(name, Map.of());
    }

    private Type declare(String name) {
        if (name.startsWith(CUSTOM_PREFIX)) {
            ClassType type = ClassType.custom(name);
            types.put(name, type);
            return type;
        }
        Definitions file = file(name);
        Tree.ClassTree tree = file == null ? null : file.classes().get(lastName(name));
        if (tree == null) {
            return null;
        }
        String base = tree.base() == null ? "" : tree.base();
        Type type = switch (base) {
            case "NamedTuple" -> namedTuple(file, name, tree);
            case "Enum" -> ClassBuilder.enumType(this, file.entry(), name, tree);
            case "Module" -> classType(file, name, tree, ClassType.Kind.MODULE);
            case "ModuleInterface", "Interface" -> classType(file, name, tree, ClassType.Kind.INTERFACE);
            case "", "object" -> classType(file, name, tree, ClassType.Kind.OBJECT);
            default ->
                throw new SourceException(
                        file.entry(),
                        tree.at(),
                        "base class " + base,
                        "Module, ModuleInterface, Interface, NamedTuple, Enum or none");
        };
        types.put(name, type);
        return type;
    }

    private ClassType classType(Definitions file, String name, Tree.ClassTree tree, ClassType.Kind kind) {
        ClassType type = new ClassType(name, kind);
        types.put(name, type);
        unfinished.add(() -> ClassBuilder.fill(this, file.entry(), type, tree));
        return type;
    }

    private Type namedTuple(Definitions file, String name, Tree.ClassTree tree) {
        if (openTuples.size() >= MAX_NESTED_TUPLES || !openTuples.add(name)) {
            throw new SourceException(
                    file.entry(),
                    tree.at(),
                    "named tuple " + name + " inside itself",
                    "at most " + MAX_NESTED_TUPLES + " named tuples inside each other");
        }
        try {
            fieldDefaults.put(name, new HashMap<>());
            return ClassBuilder.namedTuple(this, file.entry(), name, tree, fieldDefaults.get(name));
        } finally {
            openTuples.remove(name);
        }
    }

    /** Reads the bodies of the classes declared so far, one after the other rather than inside each other. */
    private void finish() {
        if (finishing || !openTuples.isEmpty()) {
            return;
        }
        finishing = true;
        try {
            while (!unfinished.isEmpty()) {
                unfinished.poll().run();
            }
        } catch (SourceException e) {
            broken = e;
            throw e;
        } finally {
            finishing = false;
        }
    }

    private Definitions file(String name) {
        int dot = name.lastIndexOf('.');
        if (!name.startsWith(ROOT) || dot < 0) {
            return null;
        }
        String entry = "code/" + name.substring(0, dot).replace('.', '/') + ".py";
        if (files.containsKey(entry)) {
            return files.get(entry);
        }
        String text = archive.source(entry);
        Definitions definitions = null;
        if (text != null) {
            Tree.FileTree tree = Parser.file(entry, text, twins, archive.budget());
            definitions = new Definitions(entry, new HashMap<>(), new HashMap<>());
            for (Tree.ClassTree type : tree.classes()) {
                definitions.classes().put(type.name(), type);
            }
            for (Tree.Definition function : tree.functions()) {
                definitions.functions().put(function.name(), function);
            }
        }
        files.put(entry, definitions);
        return definitions;
    }

    /** Whether a name is of several parts with dots between them. */
    static boolean isQualified(String name) {
        int parts = 0;
        boolean begins = true;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (begins ? !CharacterKinds.isNameStart(c) : c != '.' && !CharacterKinds.isInName(c)) {
                return false;
            }
            begins = c == '.';
            parts += begins ? 1 : 0;
        }
        return parts > 0 && !begins;
    }

    private static String lastName(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
