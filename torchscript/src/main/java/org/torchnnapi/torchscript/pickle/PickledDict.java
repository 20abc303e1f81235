package org.torchnnapi.torchscript.pickle;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A dictionary as a list of its entries in order (keys may be tensors, which have no equality); {@link #type} is its
 * annotation such as {@code Dict[str, int]}, or null if the pickle did not say.
 */
public final class PickledDict {
    private String type;
    private final List<Map.Entry<Object, Object>> entries = new ArrayList<>(0);

    public PickledDict(String type) {
        this.type = type;
    }

    public String type() {
        return type;
    }

    void type(String newType) {
        type = newType;
    }

    /** The entries, live. */
    public List<Map.Entry<Object, Object>> entries() {
        return entries;
    }

    public PickledDict put(Object key, Object value) {
        entries.add(new SimpleImmutableEntry<>(key, value));
        return this;
    }

    /** The value of the last entry with that key, or null. */
    public Object get(String key) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (key.equals(entries.get(i).getKey())) {
                return entries.get(i).getValue();
            }
        }
        return null;
    }
}
