package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What a model answered, or a part of it, without casts: who asks for what it is not gets an
 * {@link OutputTypeException} that says what it is. The values are the caller's own and hold nothing of a device, so
 * they outlive the model. As safe for use by several threads as its tensors are, which nothing writes to.
 */
public final class ModelOutput {
    private final String place;
    private final Object value;

    ModelOutput(String place, Object value) {
        this.place = place;
        this.value = value;
    }

    /** The runtime value; null is None. */
    public Object value() {
        return value;
    }

    /**
     * The value as one of Java's types: {@link Tensor}, {@link Long}, {@link Double}, {@link Boolean}, {@link String},
     * or one of the package {@code value}.
     */
    public <T> T value(Class<T> type) {
        if (!type.isInstance(value)) {
            throw mismatch("a " + type.getSimpleName());
        }
        return type.cast(value);
    }

    /** The tensor that this is. */
    public Tensor tensor() {
        return value(Tensor.class);
    }

    /** The tensor that is an item of this tuple or list. */
    public Tensor tensor(int index) {
        return get(index).tensor();
    }

    /** The tensor that is a field of this named tuple, or has this key in this dict. */
    public Tensor tensor(String name) {
        return get(name).tensor();
    }

    /** All tensors in it, in order, those within tuples, lists and dicts too. */
    public List<Tensor> tensors() {
        return Structures.tensors(Collections.singletonList(value));
    }

    /** The items of this tuple or list. */
    public List<ModelOutput> items() {
        List<ModelOutput> parts = new ArrayList<>();
        for (Object item : sequence("a tuple or list")) {
            parts.add(new ModelOutput(place + "[" + parts.size() + "]", item));
        }
        return parts;
    }

    /** The fields of this named tuple, or the entries of this dict of names, in order. */
    public Map<String, ModelOutput> named() {
        Map<String, ModelOutput> parts = new LinkedHashMap<>();
        if (value instanceof ScriptDict dict && dict.keyType() == Type.Basic.STRING) {
            dict.items().forEach((key, item) -> parts.put((String) key, part((String) key, item)));
        } else if (value instanceof ScriptTuple tuple && tuple.type() != null) {
            List<String> fields = tuple.type().fields();
            for (int i = 0; i < fields.size(); i++) {
                parts.put(fields.get(i), part(fields.get(i), tuple.get(i)));
            }
        } else {
            throw mismatch("a named tuple, or a dict of names");
        }
        return parts;
    }

    private ModelOutput part(String name, Object item) {
        return new ModelOutput(place + "[" + name + "]", item);
    }

    /** An item of this tuple or list. */
    public ModelOutput get(int index) {
        List<Object> items = sequence("a tuple or list of at least " + (index + 1L));
        if (index < 0 || index >= items.size()) {
            throw new OutputTypeException(
                    place, "no item " + index, items.isEmpty() ? "none" : "0 to " + (items.size() - 1));
        }
        return new ModelOutput(place + "[" + index + "]", items.get(index));
    }

    /** A field of this named tuple, or what has this key in this dict. */
    public ModelOutput get(String name) {
        Map<String, ModelOutput> parts = named();
        if (!parts.containsKey(name)) {
            throw new OutputTypeException(place, "no " + name, "one of " + parts.keySet());
        }
        return parts.get(name);
    }

    private List<Object> sequence(String expected) {
        if (value instanceof ScriptTuple tuple) {
            return tuple.items();
        }
        if (value instanceof ScriptList list) {
            return list.items();
        }
        throw mismatch(expected);
    }

    private OutputTypeException mismatch(String expected) {
        return new OutputTypeException(place, "a " + RuntimeTypes.of(value).text(), expected);
    }

    /** The value in words, tensors by their sizes. */
    @Override
    public String toString() {
        return String.valueOf(value);
    }
}
