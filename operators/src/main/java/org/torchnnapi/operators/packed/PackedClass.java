package org.torchnnapi.operators.packed;

import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.CustomObject;

/**
 * A custom class whose objects come from an operator or from a state; its methods, without arguments, say what was
 * packed.
 *
 * @param <T> type of the payload
 */
public final class PackedClass<T> implements CustomClass {
    private final String qualifiedName;
    private final Class<T> payload;
    private final Function<T, Object> save;
    private final Function<Object, T> restore;
    private final Map<String, Function<T, Object>> methods;

    PackedClass(
            String name,
            Class<T> payload,
            Function<T, Object> save,
            Function<Object, T> restore,
            Map<String, Function<T, Object>> methods) {
        this.qualifiedName = "__torch__.torch.classes." + name;
        this.payload = payload;
        this.save = save;
        this.restore = restore;
        this.methods = methods;
    }

    PackedClass(String name, Class<T> payload, Function<T, Object> save, Function<Object, T> restore) {
        this(name, payload, save, restore, Map.of());
    }

    @Override
    public String qualifiedName() {
        return qualifiedName;
    }

    @Override
    public Object create() {
        throw new IllegalArgumentException(
                qualifiedName + ".__new__ (expected: made by its prepack operator or from a state)");
    }

    @Override
    public Object call(Object self, String method, Object[] arguments) {
        Function<T, Object> known = methods.get(method);
        if (known == null || arguments.length > 0) {
            throw new IllegalArgumentException(
                    "method: " + method + " with " + arguments.length + " arguments (expected: "
                            + (methods.isEmpty()
                                    ? "none, " + qualifiedName + " has no methods"
                                    : "one of " + new TreeSet<>(methods.keySet()) + ", without arguments")
                            + ")");
        }
        return known.apply(payload.cast(self));
    }

    @Override
    public Object getState(Object self) {
        return save.apply(payload.cast(self));
    }

    @Override
    public Object setState(Object state) {
        try {
            return restore.apply(state);
        } catch (ClassCastException | IndexOutOfBoundsException | NullPointerException e) {
            throw new IllegalArgumentException(
                    "state of " + qualifiedName + ": " + state + " (expected: what __getstate__ gives)", e);
        }
    }

    /** A payload as a runtime value. */
    public CustomObject wrap(T value) {
        return new CustomObject(this, value);
    }

    /**
     * The payload of argument {@code i}.
     *
     * @throws IllegalArgumentException if it is no object of this class
     */
    public T unwrap(Object[] args, int i) {
        if (args[i] instanceof CustomObject object && payload.isInstance(object.payload())) {
            return payload.cast(object.payload());
        }
        throw new IllegalArgumentException("argument " + i + ": " + args[i] + " (expected: " + qualifiedName + ")");
    }
}
