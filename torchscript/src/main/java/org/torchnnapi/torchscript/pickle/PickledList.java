package org.torchnnapi.torchscript.pickle;

import java.util.ArrayList;
import java.util.List;

/** A list; {@link #type} is its annotation such as {@code List[str]}, or null if the pickle did not say. */
public final class PickledList {
    private String type;
    private final List<Object> items = new ArrayList<>(0);

    public PickledList(String type) {
        this.type = type;
    }

    public PickledList(String type, List<?> items) {
        this.type = type;
        this.items.addAll(items);
    }

    public String type() {
        return type;
    }

    void type(String newType) {
        type = newType;
    }

    /** The elements, live. */
    public List<Object> items() {
        return items;
    }
}
