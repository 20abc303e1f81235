package org.torchnnapi.execution.tracing;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.value.NestedTensor;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptFuture;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Values nested in lists, tuples and dicts. */
final class NestedValues {
    private NestedValues() {}

    /** A copy of a value's containers with everything else in them mapped. */
    static Object map(Object value, UnaryOperator<Object> leaf) {
        if (value instanceof ScriptList list) {
            ScriptList copy = new ScriptList(list.elementType());
            list.items().forEach(item -> copy.items().add(map(item, leaf)));
            return copy;
        }
        if (value instanceof ScriptTuple tuple) {
            return new ScriptTuple(
                    tuple.items().stream().map(item -> map(item, leaf)).collect(Streams.toList()), tuple.type());
        }
        if (value instanceof ScriptDict dict) {
            ScriptDict copy = new ScriptDict(dict.keyType(), dict.valueType());
            for (Map.Entry<Object, Object> entry : dict.items().entrySet()) {
                copy.items().put(entry.getKey(), map(entry.getValue(), leaf));
            }
            return copy;
        }
        if (value instanceof NestedTensor nested) {
            if (leaf.apply(nested.padded()) instanceof Tensor padded
                    && leaf.apply(nested.visible()) instanceof Tensor visible) {
                return new NestedTensor(padded, visible);
            }
            throw new NotSpecialisedException("an operator that takes or gives a " + nested);
        }
        if (value instanceof Object[] several) {
            Object[] copy = new Object[several.length];
            for (int i = 0; i < copy.length; i++) {
                copy[i] = map(several[i], leaf);
            }
            return copy;
        }
        return leaf.apply(value);
    }

    /** Whether the value itself or something in it passes the test. */
    static boolean any(Object value, Predicate<Object> test) {
        if (value instanceof ScriptList list) {
            return any(list.items(), test);
        }
        if (value instanceof ScriptTuple tuple) {
            return any(tuple.items(), test);
        }
        if (value instanceof ScriptDict dict) {
            return any(dict.items().keySet(), test) || any(dict.items().values(), test);
        }
        if (value instanceof ScriptFuture future) {
            return any(future.result(), test);
        }
        if (value instanceof NestedTensor nested) {
            return any(nested.padded(), test) || any(nested.visible(), test);
        }
        if (value instanceof Object[] several) {
            return any(Arrays.asList(several), test);
        }
        return test.test(value);
    }

    private static boolean any(Iterable<?> values, Predicate<Object> test) {
        for (Object value : values) {
            if (any(value, test)) {
                return true;
            }
        }
        return false;
    }
}
