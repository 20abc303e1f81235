package org.torchnnapi.torchscript;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledEnum;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptEnum;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Turns runtime values into the value trees of pickles, the inverse of {@link ValueReader}. */
public final class ValueWriter {
    private static final int MAX_DEPTH = 400;

    private final BiFunction<Function, Object[], Object> interpreter;
    private final Map<Object, Object> done = new IdentityHashMap<>();
    private final Set<ClassType> classes = new LinkedHashSet<>();
    private int depth;

    /** @param interpreter runs a method on arguments, for {@code __getstate__} */
    public ValueWriter(BiFunction<Function, Object[], Object> interpreter) {
        this.interpreter = interpreter;
    }

    /**
     * @throws ArchiveException for values an archive cannot hold, such as futures, and for values that contain
     *     themselves
     */
    public Object tree(Object value) {
        if (value instanceof ScriptEnum member) {
            return new PickledEnum(member.type().name(), member.value());
        }
        boolean container = value instanceof ScriptObject
                || value instanceof CustomObject
                || value instanceof ScriptList
                || value instanceof ScriptDict
                || value instanceof ScriptTuple;
        if (!container) {
            return value;
        }
        // A custom object is a fresh record around its payload, which carries the identity.
        Object key = value instanceof CustomObject custom ? custom.payload() : value;
        Object known = done.get(key);
        if (known != null) {
            return known;
        }
        if (++depth > MAX_DEPTH) {
            throw new ArchiveException("value nested deeper than " + MAX_DEPTH
                    + " levels (expected: at most that, and no value inside itself)");
        }
        Object tree = container(value);
        depth--;
        done.put(key, tree);
        return tree;
    }

    /** The classes of all objects written so far, in the order in which their first objects begin. */
    public Set<ClassType> classes() {
        return Collections.unmodifiableSet(classes);
    }

    private Object container(Object value) {
        if (value instanceof ScriptObject object) {
            return object(object);
        }
        if (value instanceof CustomObject object) {
            classes.add(ClassType.custom(object.type().qualifiedName()));
            return new PickledObject(
                    object.type().qualifiedName(), tree(object.type().getState(object.payload())));
        }
        if (value instanceof ScriptList list) {
            return new PickledList("List[" + list.elementType().text() + "]", trees(list.items()));
        }
        if (value instanceof ScriptDict dict) {
            PickledDict made = new PickledDict(
                    "Dict[" + dict.keyType().text() + ", " + dict.valueType().text() + "]");
            dict.items().forEach((k, v) -> made.put(tree(k), tree(v)));
            return made;
        }
        return new ScriptTuple(trees(((ScriptTuple) value).items()), null);
    }

    private PickledObject object(ScriptObject object) {
        ClassType type = object.type();
        classes.add(type);
        Function getState = type.method("__getstate__");
        if (getState != null && type.method("__setstate__") != null) {
            return new PickledObject(type.name(), tree(interpreter.apply(getState, new Object[] {object})));
        }
        PickledDict state = new PickledDict(null);
        for (int slot = 0; slot < type.attributes().size(); slot++) {
            state.put(type.attributes().get(slot).name(), tree(object.slot(slot)));
        }
        return new PickledObject(type.name(), state);
    }

    private List<Object> trees(List<Object> values) {
        List<Object> out = new ArrayList<>(values.size());
        for (Object value : values) {
            out.add(tree(value));
        }
        return out;
    }
}
