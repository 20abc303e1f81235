package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Freeze;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * What a divided module keeps of the original: methods, and the attributes that code reads or writes, which are the
 * original's own objects.
 */
public final class RetainedMembers {
    /** Tensors that are no larger together do not count as weights. */
    private static final long SMALL = 4096;

    private static final String JOINT = "__";

    private final ClassType type;
    private final ScriptObject original;
    private final Map<String, Object> attributes = new LinkedHashMap<>();
    private final Set<String> methods = new LinkedHashSet<>();
    /** Of attributes of submodules: the submodule, and the attribute's name there. */
    private final Map<String, ScriptObject> objects = new HashMap<>();

    private final Map<String, String> names = new HashMap<>();
    /** Names of attributes that some method of the original sets, of whatever object. */
    private final Set<String> set = new HashSet<>();

    /** @param type the divided module's class, which is added to */
    RetainedMembers(ClassType type, ScriptObject original) {
        this.type = type;
        this.original = original;
        for (Function method : original.type().methods()) {
            try {
                set.addAll(setting(original, List.of(method.name())));
            } catch (SourceException broken) {
                // A method that does not compile sets nothing.
            }
        }
    }

    /** Values of the attributes that were added to the class. */
    Map<String, Object> attributes() {
        return attributes;
    }

    /**
     * Keeps what a method's code reads of its module, writes to it, and calls of it.
     *
     * @throws Refused if the code does something else with the module
     */
    void usesOf(Value self) {
        shorten(self, original);
        for (Value.Use use : List.copyOf(self.uses())) {
            Node user = use.user();
            String name = (String) user.attribute("name");
            if (use.index() == 0 && (user.is(Prim.GET_ATTR) || user.is(Prim.SET_ATTR))) {
                attribute(name);
            } else if (use.index() == 0 && user.is(Prim.CALL_METHOD)) {
                method(name, name);
            } else {
                throw new Refused(
                        "what stays TorchScript may read and write the module's attributes and call its methods",
                        user.kind(),
                        "no code that passes the module on");
            }
        }
    }

    /**
     * Lets who reads an attribute of a submodule read it from the module, so that the rest of the submodule need not
     * stay. What is set is read where it is set: the module's own attribute would go on being the old value.
     */
    private void shorten(Value self, ScriptObject object) {
        for (Value.Use use : List.copyOf(self.uses())) {
            Node read = use.user();
            boolean passed = read.is(Prim.GET_ATTR)
                    && objects.getOrDefault((String) read.attribute("name"), object)
                                    .get(ownName(read))
                            instanceof ScriptObject
                    && !read.output().uses().isEmpty()
                    && read.output().uses().stream()
                            .allMatch(inner -> inner.user().is(Prim.GET_ATTR)
                                    && !set.contains((String) inner.user().attribute("name")));
            if (!passed) {
                continue;
            }
            String name = (String) read.attribute("name");
            ScriptObject child =
                    (ScriptObject) objects.getOrDefault(name, object).get(ownName(read));
            for (Value.Use inner : List.copyOf(read.output().uses())) {
                Node reader = inner.user();
                String own = (String) reader.attribute("name");
                String joined = name + JOINT + own;
                objects.put(joined, child);
                names.put(joined, own);
                reader.attribute("name", joined).setInput(0, self);
            }
            read.destroy();
            shorten(self, object);
            return;
        }
    }

    private String ownName(Node read) {
        String name = (String) read.attribute("name");
        return names.getOrDefault(name, name);
    }

    /** The attributes that every module of PyTorch's has. */
    void stateOfModules() {
        add("training", Type.Basic.BOOL, false);
        add("_is_full_backward_hook", Type.optional(Type.Basic.BOOL), null);
    }

    private void add(String name, Type attribute, Object value) {
        type.addAttribute(new ClassType.Attribute(name, attribute, false, false));
        attributes.put(name, value);
    }

    private void attribute(String name) {
        if (attributes.containsKey(name) || type.slot(name) >= 0) {
            return;
        }
        ScriptObject owner = objects.getOrDefault(name, original);
        String own = names.getOrDefault(name, name);
        ClassType.Attribute known = owner.type().attributes().stream()
                .filter(a -> a.name().equals(own))
                .findFirst()
                .get();
        type.addAttribute(new ClassType.Attribute(name, known.type(), known.isParameter(), known.isBuffer()));
        attributes.put(name, owner.get(own));
    }

    /**
     * Keeps a method; nothing happens where the class has one of that name.
     *
     * @param as its name in the divided module
     */
    void method(String name, String as) {
        if (type.method(as) != null || !methods.add(as)) {
            return;
        }
        Function method = original.type().method(name);
        Graph graph = BlockCopy.of(method.graph(), type);
        usesOf(graph.inputs().get(0));
        type.addMethod(new Function(type.name() + "." + as, signature(method.schema(), as), () -> graph));
    }

    /** The signature of a method of another name, whose module is of the divided module's class. */
    FunctionSchema signature(FunctionSchema schema, String as) {
        List<FunctionSchema.Argument> arguments = new ArrayList<>(schema.arguments());
        arguments.set(0, FunctionSchema.Argument.of("self", type));
        return new FunctionSchema(as, "", arguments, schema.returns(), false);
    }

    /**
     * Methods that stay in a converted module unless said otherwise: those that the converted ones do not call, and of
     * those that they call, which become part of them, the ones that hold no weights. Names that begin with an
     * underscore are left to who calls them, and so are methods that put other packed weights in the place of those
     * that NNAPI has.
     */
    public static Set<String> byDefault(ScriptObject module, Collection<String> converted) {
        Set<String> called = called(module, converted);
        Set<String> kept = new LinkedHashSet<>();
        for (Function method : module.type().methods()) {
            String name = method.name();
            boolean wanted = !converted.contains(name)
                    && !name.startsWith("_")
                    && !setsPackedWeights(method, Collections.newSetFromMap(new IdentityHashMap<>()))
                    && isKeepable(module, name, new LinkedHashSet<>());
            if (wanted && (!called.contains(name) || bytes(module, name) <= SMALL)) {
                kept.add(name);
            }
        }
        return kept;
    }

    /** Names of the module's methods that some of its methods call, and those call. */
    public static Set<String> called(ScriptObject module, Collection<String> callers) {
        Set<String> called = new LinkedHashSet<>();
        callers.forEach(caller -> called(module, caller, called));
        return called;
    }

    /**
     * Whether a method compiles, and it and those that it calls only read and write the module's attributes and call
     * its methods.
     */
    private static boolean isKeepable(ScriptObject module, String name, Set<String> seen) {
        if (!seen.add(name)) {
            return true;
        }
        Function method = module.type().method(name);
        if (method == null || !method.hasBody()) {
            return false;
        }
        try {
            return method.graph().inputs().get(0).uses().stream()
                    .allMatch(use -> use.index() == 0
                            && (use.user().is(Prim.GET_ATTR)
                                    || use.user().is(Prim.SET_ATTR)
                                    || use.user().is(Prim.CALL_METHOD)
                                            && isKeepable(
                                                    module, (String) use.user().attribute("name"), seen)));
        } catch (SourceException broken) {
            return false;
        }
    }

    /** Names of attributes that methods set, or write to in place, of whatever object. */
    public static Set<String> changing(ScriptObject module, Collection<String> methods) {
        Set<String> names = setting(module, methods);
        for (String method : methods) {
            Function function = module.type().method(method);
            try {
                if (function != null && function.hasBody()) {
                    names.addAll(Freeze.written(module, method));
                }
            } catch (IllegalArgumentException | SourceException unsuited) {
                // What cannot be inlined or compiled is refused where it is converted or kept.
            }
        }
        return names;
    }

    /** Names of attributes that methods set, of whatever object. */
    public static Set<String> setting(ScriptObject module, Collection<String> methods) {
        Set<String> names = new LinkedHashSet<>();
        Set<Function> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        methods.forEach(method -> assigned(module.type().method(method), seen)
                .forEach(node -> names.add((String) node.attribute("name"))));
        return names;
    }

    private static boolean setsPackedWeights(Function method, Set<Function> seen) {
        try {
            return assigned(method, seen).stream()
                    .anyMatch(node ->
                            node.input(1).type() instanceof ClassType type && type.kind() == ClassType.Kind.CUSTOM);
        } catch (SourceException broken) {
            // It is not kept either.
            return false;
        }
    }

    /** The nodes that set attributes in a method, and in what it calls. */
    private static List<Node> assigned(Function function, Set<Function> seen) {
        List<Node> nodes = new ArrayList<>();
        if (function != null && function.hasBody() && seen.add(function)) {
            assigned(function.graph().block(), seen, nodes);
        }
        return nodes;
    }

    private static void assigned(Block block, Set<Function> seen, List<Node> nodes) {
        for (Node node : block.nodes()) {
            if (node.is(Prim.SET_ATTR)) {
                nodes.add(node);
            } else if (node.is(Prim.CALL_METHOD)
                    && node.input(0).type() instanceof ClassType owner
                    && owner.kind() != ClassType.Kind.CUSTOM) {
                nodes.addAll(assigned(owner.method((String) node.attribute("name")), seen));
            } else if (node.is(Prim.CALL_FUNCTION)) {
                nodes.addAll(assigned((Function) node.attribute("function"), seen));
            }
            node.blocks().forEach(inner -> assigned(inner, seen, nodes));
        }
    }

    /** Names of the module's methods that one of them calls, and those call. */
    private static void called(ScriptObject module, String method, Set<String> names) {
        Function function = module.type().method(method);
        if (function == null) {
            return;
        }
        for (Value.Use use : function.graph().inputs().get(0).uses()) {
            String name = (String) use.user().attribute("name");
            if (use.user().is(Prim.CALL_METHOD) && use.index() == 0 && names.add(name)) {
                called(module, name, names);
            }
        }
    }

    /** Of the tensors that a method reads. */
    private static long bytes(ScriptObject module, String method) {
        Set<String> names = new LinkedHashSet<>(Set.of(method));
        called(module, method, names);
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        long bytes = 0;
        for (String name : names) {
            for (Value.Use use :
                    module.type().method(name).graph().inputs().get(0).uses()) {
                if (use.user().is(Prim.GET_ATTR)) {
                    bytes += bytes(module.get((String) use.user().attribute("name")), seen);
                }
            }
        }
        return bytes;
    }

    private static long bytes(Object value, Set<Object> seen) {
        if (value instanceof Tensor tensor) {
            return seen.add(tensor.storage()) ? tensor.numel() * tensor.dtype().bytes() : 0;
        }
        long bytes = 0;
        if (value instanceof ScriptObject object && seen.add(object)) {
            for (ClassType.Attribute attribute : object.type().attributes()) {
                bytes += bytes(object.get(attribute.name()), seen);
            }
        } else if (Structures.isContainer(value)) {
            bytes = Structures.items(value).stream()
                    .mapToLong(item -> bytes(item, seen))
                    .sum();
        }
        return bytes;
    }
}
