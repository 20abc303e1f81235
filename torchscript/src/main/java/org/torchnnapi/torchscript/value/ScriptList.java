package org.torchnnapi.torchscript.value;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.torchnnapi.torchscript.ir.Type;

/** A mutable {@code List[T]}; lists are shared by reference, equality here is identity. */
public final class ScriptList {
    private final Type elementType;
    private final ArrayList<Object> items;

    public ScriptList(Type elementType) {
        this(elementType, List.of());
    }

    /** Copies {@code items}, which may contain nulls. */
    public ScriptList(Type elementType, Collection<?> items) {
        this.elementType = elementType;
        this.items = new ArrayList<>(items);
    }

    public static ScriptList ofInts(long... values) {
        ScriptList list = new ScriptList(Type.Basic.INT);
        for (long value : values) {
            list.items.add(value);
        }
        return list;
    }

    public Type elementType() {
        return elementType;
    }

    /** The elements, live. */
    public List<Object> items() {
        return items;
    }

    public int size() {
        return items.size();
    }

    public Object get(int index) {
        return items.get(index);
    }

    /** Elements of an int (or bool) list. */
    public long[] toLongs() {
        long[] out = new long[items.size()];
        for (int i = 0; i < out.length; i++) {
            Object item = items.get(i);
            out[i] = item instanceof Boolean b ? b ? 1 : 0 : ((Number) item).longValue();
        }
        return out;
    }

    @Override
    public String toString() {
        return items.toString();
    }
}
