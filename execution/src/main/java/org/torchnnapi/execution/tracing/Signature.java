package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What a specialisation depends on: the geometry of the tensors among a call's arguments and the values of all others.
 */
record Signature(List<Object> parts) {
    /** A list or tuple follows, of that many elements. */
    private record Opening(Object type, int size) {}

    /**
     * @param arguments those of a method without its object
     * @return null where a call cannot be told by its arguments' types
     */
    static Signature of(Object[] arguments) {
        List<Object> parts = new ArrayList<>(arguments.length);
        return Arrays.stream(arguments).allMatch(argument -> add(parts, argument)) ? new Signature(parts) : null;
    }

    private static boolean add(List<Object> parts, Object value) {
        if (value instanceof Tensor t) {
            parts.add(TensorGeometry.of(t));
            return t.storage().hasData() && !(t.quantization() instanceof Quantization.PerChannel);
        }
        if (value instanceof ScriptList list) {
            parts.add(new Opening(list.elementType(), list.size()));
            return list.items().stream().allMatch(item -> add(parts, item));
        }
        if (value instanceof ScriptTuple tuple) {
            parts.add(new Opening(tuple.type(), tuple.size()));
            return tuple.items().stream().allMatch(item -> add(parts, item));
        }
        parts.add(value);
        return value == null
                || value instanceof Long
                || value instanceof Double
                || value instanceof Boolean
                || value instanceof String;
    }
}
