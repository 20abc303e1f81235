package org.torchnnapi.torchscript;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeParser;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledEnum;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Turns the value trees of pickles into runtime values, now that classes are known: objects get their slots, or run
 * their {@code __setstate__}; what was one object in the file is one object here.
 */
public final class ValueReader {
    private final java.util.function.Function<String, Type> types;
    private final CustomClasses customClasses;
    private final BiFunction<Function, Object[], Object> interpreter;
    private final Map<Object, Object> done = new IdentityHashMap<>();

    /**
     * @param types class, enum and named tuple types by qualified name; null for unknown ones
     * @param interpreter runs a method on arguments, for {@code __setstate__}
     */
    public ValueReader(
            java.util.function.Function<String, Type> types,
            CustomClasses customClasses,
            BiFunction<Function, Object[], Object> interpreter) {
        this.types = types;
        this.customClasses = customClasses;
        this.interpreter = interpreter;
    }

    /**
     * @param declared the type its place has, or null
     * @throws ArchiveException if the tree does not fit the classes
     */
    public Object read(Object tree, Type declared) {
        if (tree instanceof PickledEnum member) {
            return enumMember(member);
        }
        boolean container = tree instanceof PickledObject
                || tree instanceof PickledList
                || tree instanceof PickledDict
                || tree instanceof ScriptTuple;
        if (!container) {
            return tree;
        }
        Object known = done.get(tree);
        if (known != null) {
            return known;
        }
        Type wanted = declared instanceof Type.OptionalType optional ? optional.element() : declared;
        if (tree instanceof PickledObject object) {
            return object(object);
        }
        Object value;
        if (tree instanceof PickledList list) {
            value = list(list, wanted);
        } else if (tree instanceof PickledDict dict) {
            value = dict(dict, wanted);
        } else {
            value = tuple((ScriptTuple) tree, wanted);
        }
        done.put(tree, value);
        return value;
    }

    private Object object(PickledObject object) {
        String name = object.className();
        Type type = type(name);
        if (!(type instanceof ClassType classType) || classType.kind() == ClassType.Kind.INTERFACE) {
            throw new ArchiveException("object of " + name + " (expected: a class, not an interface, enum or tuple)");
        }
        if (classType.kind() == ClassType.Kind.CUSTOM) {
            CustomObject made = custom(name, read(object.state(), null));
            done.put(object, made);
            return made;
        }
        ScriptObject made = new ScriptObject(classType);
        done.put(object, made);
        Function setState = classType.method("__setstate__");
        if (setState != null && setState.schema().arguments().size() == 2) {
            Type stateType = setState.schema().arguments().get(1).type();
            Object state = read(object.state(), stateType);
            check(name + ".__setstate__", state, stateType);
            interpreter.apply(setState, new Object[] {made, state});
        } else {
            fill(made, object);
        }
        return made;
    }

    private void fill(ScriptObject made, PickledObject object) {
        ClassType type = made.type();
        if (!(object.state() instanceof PickledDict state)) {
            if (object.hasState() || !type.attributes().isEmpty()) {
                throw new ArchiveException(
                        "state of " + type.name() + " is no dictionary (expected: one with its attributes)");
            }
            return;
        }
        for (Map.Entry<Object, Object> entry : state.entries()) {
            int slot = entry.getKey() instanceof String name ? type.slot(name) : -1;
            if (slot < 0) {
                throw new ArchiveException(
                        "attribute " + entry.getKey() + " (expected: one that class " + type.name() + " declares)");
            }
            ClassType.Attribute attribute = type.attributes().get(slot);
            Object value = read(entry.getValue(), attribute.type());
            check(type.name() + "." + attribute.name(), value, attribute.type());
            made.slot(slot, value);
        }
        for (int slot = 0; slot < type.attributes().size(); slot++) {
            check(
                    type.name() + "." + type.attributes().get(slot).name(),
                    made.slot(slot),
                    type.attributes().get(slot).type());
        }
    }

    private CustomObject custom(String name, Object state) {
        CustomClass type = customClasses.find(name);
        if (type == null) {
            type = new OpaqueClass(name, customClasses.names().toString());
        }
        try {
            return new CustomObject(type, type.setState(state));
        } catch (IllegalArgumentException | ClassCastException | IndexOutOfBoundsException | NullPointerException e) {
            throw new ArchiveException(
                    "state of " + name + ": " + e.getMessage() + " (expected: what its __getstate__ gave)", e);
        }
    }

    private Object enumMember(PickledEnum member) {
        if (type(member.className()) instanceof Type.EnumType type) {
            int index = type.values().indexOf(member.value());
            if (index >= 0) {
                return new ScriptEnum(type, type.members().get(index), member.value());
            }
        }
        throw new ArchiveException("member " + member.value() + " of " + member.className()
                + " (expected: one that the enum class declares)");
    }

    private ScriptList list(PickledList list, Type declared) {
        Type type = list.type() == null ? declared : tag(list.type());
        if (type != null && !(type instanceof Type.ListType) && list.type() != null) {
            throw new ArchiveException("type tag " + list.type() + " (expected: a list type)");
        }
        Type element = type instanceof Type.ListType t ? t.element() : Type.Basic.ANY;
        List<Object> items = new ArrayList<>(list.items().size());
        for (Object item : list.items()) {
            Object value = read(item, element);
            check("list element", value, element);
            items.add(value);
        }
        return new ScriptList(element, items);
    }

    private ScriptDict dict(PickledDict dict, Type declared) {
        Type type = dict.type() == null ? declared : tag(dict.type());
        if (type != null && !(type instanceof Type.DictType) && dict.type() != null) {
            throw new ArchiveException("type tag " + dict.type() + " (expected: a dictionary type)");
        }
        Type keyType = type instanceof Type.DictType t ? t.key() : Type.Basic.ANY;
        Type valueType = type instanceof Type.DictType t ? t.value() : Type.Basic.ANY;
        ScriptDict made = new ScriptDict(keyType, valueType);
        for (Map.Entry<Object, Object> entry : dict.entries()) {
            Object key = entry.getKey();
            if (!(key instanceof String
                    || key instanceof Long
                    || key instanceof Double
                    || key instanceof Boolean
                    || key instanceof Complex
                    || key instanceof Tensor)) {
                throw new ArchiveException("dictionary key (expected: a str, int, float, bool, complex or Tensor)");
            }
            check("dictionary key", key, keyType);
            Object value = read(entry.getValue(), valueType);
            check("dictionary value", value, valueType);
            made.items().put(key, value);
        }
        return made;
    }

    private ScriptTuple tuple(ScriptTuple tuple, Type declared) {
        Type.TupleType type =
                declared instanceof Type.TupleType t && t.elements().size() == tuple.size() ? t : null;
        List<Object> items = new ArrayList<>(tuple.size());
        for (int i = 0; i < tuple.size(); i++) {
            items.add(read(tuple.get(i), type == null ? null : type.elements().get(i)));
        }
        return new ScriptTuple(items, type != null && type.name() != null ? type : null);
    }

    private Type type(String name) {
        Type type = types.apply(name);
        if (type == null) {
            throw new ArchiveException("class " + name + " (expected: defined in the archive's code)");
        }
        return type;
    }

    private Type tag(String text) {
        try {
            return TypeParser.parse(text, types);
        } catch (IllegalArgumentException e) {
            throw new ArchiveException("type tag: " + e.getMessage(), e);
        }
    }

    private static void check(String place, Object value, Type type) {
        if (type != null && !RuntimeTypes.isInstance(value, type)) {
            throw new ArchiveException(
                    place + ": " + RuntimeTypes.of(value).text() + " (expected: " + type.text() + ")");
        }
    }
}
