package org.torchnnapi.exported;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * The modules that a program's tensors belong to, by their names: {@code layers.0.weight} is an attribute of a module
 * {@code 0} in a module {@code layers}. Their classes have the names that they had in Python.
 */
final class TensorModules {
    private final Map<String, String> classNames;
    private final ClassNames names;
    private final Map<String, Type.TupleType> namedTuples = new HashMap<>();
    private final ScriptObject root;

    /**
     * @param classNames names of Python's classes by path of the module; "" for the root
     * @param names those that other modules of the file have
     */
    TensorModules(Map<String, String> classNames, ClassNames names) {
        this.classNames = classNames;
        this.names = names;
        this.root = new ScriptObject(new ClassType(className(""), ClassType.Kind.MODULE));
    }

    ScriptObject root() {
        return root;
    }

    private String className(String path) {
        return names.unused(classNames.getOrDefault(path, ClassNames.MODULE));
    }

    /** The type of a named tuple, the same for the same fields and types. */
    Type.TupleType named(String name, List<String> fields, List<Type> types) {
        return namedTuples.computeIfAbsent(
                name + fields + types, key -> new Type.TupleType(types, names.unused(name), fields));
    }

    /**
     * Adds a tensor.
     *
     * @throws ArchiveException if something else has its name
     */
    void add(String name, Tensor tensor, boolean isParameter, boolean isBuffer) {
        String[] path = name.split("\\.", -1);
        ScriptObject owner = root;
        StringBuilder known = new StringBuilder();
        for (int i = 0; i + 1 < path.length; i++) {
            known.append(known.length() == 0 ? "" : ".").append(path[i]);
            owner = child(owner, path[i], known.toString());
        }
        String last = path[path.length - 1];
        if (owner.type().slot(last) >= 0) {
            if (owner.get(last) == tensor) {
                return;
            }
            throw taken(name);
        }
        declare(owner, last, Type.Basic.TENSOR, tensor, isParameter, isBuffer, name);
    }

    private ScriptObject child(ScriptObject owner, String name, String path) {
        if (owner.type().slot(name) >= 0) {
            if (owner.get(name) instanceof ScriptObject object) {
                return object;
            }
            throw taken(path);
        }
        ScriptObject made = new ScriptObject(new ClassType(className(path), ClassType.Kind.MODULE));
        declare(owner, name, made.type(), made, false, false, path);
        return made;
    }

    private static void declare(
            ScriptObject owner,
            String name,
            Type type,
            Object value,
            boolean isParameter,
            boolean isBuffer,
            String path) {
        if (name.isEmpty() || owner.type().method(name) != null) {
            throw taken(path);
        }
        owner.type().addAttribute(new ClassType.Attribute(name, type, isParameter, isBuffer));
        owner.set(name, value);
    }

    private static ArchiveException taken(String name) {
        return new ArchiveException(
                "tensor: " + name + " (expected: a name of parts with dots between them, which nothing " + "else has)");
    }

    /** Adds nodes that get a tensor of the module that is given. */
    Value get(GraphEmitter emitter, Value self, String name) {
        Value owner = self;
        ScriptObject object = root;
        for (String part : name.split("\\.", -1)) {
            Object value = object.get(part);
            Type type = value instanceof ScriptObject inner ? inner.type() : Type.Basic.TENSOR;
            owner = emitter.attribute(owner, part, type);
            object = value instanceof ScriptObject inner ? inner : object;
        }
        return owner;
    }
}
