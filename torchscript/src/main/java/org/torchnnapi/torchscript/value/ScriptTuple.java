package org.torchnnapi.torchscript.value;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.torchscript.ir.Type;

/** An immutable tuple; {@link #type()} is null unless it is a named tuple. */
public final class ScriptTuple {
    private final List<Object> items;
    private final Type.TupleType type;

    /** @param type of a named tuple, or null */
    public ScriptTuple(List<?> items, Type.TupleType type) {
        this.items = Collections.unmodifiableList(new ArrayList<>(items));
        this.type = type;
    }

    /** A tuple without names. */
    public static ScriptTuple of(Object... items) {
        return new ScriptTuple(Arrays.asList(items), null);
    }

    public List<Object> items() {
        return items;
    }

    public int size() {
        return items.size();
    }

    public Object get(int index) {
        return items.get(index);
    }

    /** The named tuple's type, or null. */
    public Type.TupleType type() {
        return type;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScriptTuple t && t.items.equals(items);
    }

    @Override
    public int hashCode() {
        return items.hashCode();
    }

    @Override
    public String toString() {
        return items.toString().replace('[', '(').replace(']', ')');
    }
}
