package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;
import org.torchnnapi.torchscript.value.TorchDevice;

/**
 * What the code of a region depends on: the geometry of the tensors among its inputs and which are one and the same,
 * which modules it is given, the values of all others.
 */
final class RegionKey {
    /** In place of what nothing can be compiled for. */
    private static final Object UNSUITED = new Object();

    /** A tensor that came before, by its number. */
    private record Same(int tensor) {}

    private record Container(Object kind, List<Object> parts) {}

    private record Module(ScriptObject object) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Module m && m.object == object;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    private final Object[] parts;
    private final List<Tensor> tensors = new ArrayList<>();
    private int unsuited = -1;

    RegionKey(Object[] inputs) {
        parts = new Object[inputs.length];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = part(inputs[i], tensors);
            if (parts[i] == UNSUITED) {
                unsuited = i;
            }
        }
    }

    /** The contents of a list or dict that holds nothing but plain values; null for others. */
    static Object contents(Object container) {
        List<Tensor> none = new ArrayList<>();
        Object part = part(container, none);
        return part == UNSUITED || !none.isEmpty() ? null : part;
    }

    private static Object part(Object value, List<Tensor> tensors) {
        if (value instanceof Tensor t) {
            for (int i = 0; i < tensors.size(); i++) {
                if (tensors.get(i) == t) {
                    return new Same(i);
                }
            }
            if (!t.storage().hasData() || t.quantization() instanceof Quantization.PerChannel) {
                return UNSUITED;
            }
            tensors.add(t);
            return TensorGeometry.of(t);
        }
        if (value instanceof ScriptList list) {
            return container(list.elementType(), list.items(), tensors);
        }
        if (value instanceof ScriptTuple tuple) {
            return container(tuple.type() == null ? ScriptTuple.class : tuple.type(), tuple.items(), tensors);
        }
        if (value instanceof ScriptDict dict) {
            List<Object> items = new ArrayList<>(dict.items().keySet());
            items.addAll(dict.items().values());
            return container(List.of(dict.keyType(), dict.valueType()), items, tensors);
        }
        if (value instanceof ScriptObject object) {
            return object.type().kind() == ClassType.Kind.MODULE ? new Module(object) : UNSUITED;
        }
        return isPlain(value) || value instanceof TorchDevice || value instanceof Complex ? value : UNSUITED;
    }

    private static Object container(Object kind, List<Object> items, List<Tensor> tensors) {
        List<Object> parts = new ArrayList<>(items.size());
        for (Object item : items) {
            Object part = part(item, tensors);
            if (part == UNSUITED) {
                return UNSUITED;
            }
            parts.add(part);
        }
        return new Container(kind, parts);
    }

    private static boolean isPlain(Object value) {
        return value == null
                || value instanceof Long
                || value instanceof Double
                || value instanceof Boolean
                || value instanceof String;
    }

    /** The number of an input that nothing can be compiled for, or -1. */
    int unsuited() {
        return unsuited;
    }

    /** The tensors among the inputs, each once, in their order. */
    List<Tensor> tensors() {
        return tensors;
    }

    /** The inputs that are numbers or texts and differ, if nothing else does but flags; otherwise none. */
    int[] differing(RegionKey other) {
        int[] found = new int[parts.length];
        int count = 0;
        for (int i = 0; i < parts.length; i++) {
            if (!Objects.equals(parts[i], other.parts[i])) {
                if (parts[i] instanceof Boolean) {
                    continue;
                }
                if (parts[i] == null || other.parts[i] == null || !isPlain(parts[i])) {
                    return new int[0];
                }
                found[count++] = i;
            }
        }
        return Arrays.copyOf(found, count);
    }

    /** The same without the tensors themselves, to be kept. */
    RegionKey kept() {
        return new RegionKey(parts, unsuited);
    }

    private RegionKey(Object[] parts, int unsuited) {
        this.parts = parts;
        this.unsuited = unsuited;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RegionKey key && Arrays.equals(key.parts, parts);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(parts);
    }
}
