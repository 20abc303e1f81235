package org.torchnnapi.torchscript.value;

import java.util.LinkedHashMap;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Type;

/** A mutable {@code Dict[K, V]} in insertion order; shared by reference. */
public final class ScriptDict {
    private final Type keyType;
    private final Type valueType;
    private final LinkedHashMap<Object, Object> items = new LinkedHashMap<>();

    public ScriptDict(Type keyType, Type valueType) {
        this.keyType = keyType;
        this.valueType = valueType;
    }

    public Type keyType() {
        return keyType;
    }

    public Type valueType() {
        return valueType;
    }

    /** The entries, live. */
    public Map<Object, Object> items() {
        return items;
    }

    @Override
    public String toString() {
        return items.toString();
    }
}
