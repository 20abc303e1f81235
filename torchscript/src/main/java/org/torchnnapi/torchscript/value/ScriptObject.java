package org.torchnnapi.torchscript.value;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.torchnnapi.torchscript.ir.ClassType;

/** An instance of a TorchScript class or module: one slot for each attribute of its class. */
public final class ScriptObject {
    private static final AtomicLong CHANGES = new AtomicLong();
    private final ClassType type;
    private Object[] slots;

    /** An object whose attributes are all null. */
    public ScriptObject(ClassType type) {
        this.type = type;
        this.slots = new Object[type.attributes().size()];
    }

    public ClassType type() {
        return type;
    }

    /** The attribute at that place among the type's. */
    public Object slot(int index) {
        return index < slots.length ? slots[index] : null;
    }

    public void slot(int index, Object value) {
        if (index >= slots.length) {
            slots = Arrays.copyOf(slots, type.attributes().size());
        }
        slots[index] = value;
        CHANGES.incrementAndGet();
    }

    /**
     * A number that differs once an attribute of any object was set since: who looks at hundreds may leave it at one
     * look at this.
     */
    public static long changes() {
        return CHANGES.get();
    }

    /** @throws IllegalArgumentException if the class has no such attribute */
    public Object get(String attribute) {
        return slot(slotOf(attribute));
    }

    /** @throws IllegalArgumentException if the class has no such attribute */
    public void set(String attribute, Object value) {
        slot(slotOf(attribute), value);
    }

    private int slotOf(String attribute) {
        int index = type.slot(attribute);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "attribute: " + attribute + " (expected: an attribute of " + type.name() + ")");
        }
        return index;
    }

    @Override
    public String toString() {
        return "<" + type.name() + ">";
    }
}
