package org.torchnnapi.torchscript.archive;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** A value tree as text that shows which tensors and storages are shared, for comparing trees. */
final class TreeText {
    private final StringBuilder out = new StringBuilder();
    private final Map<Object, Integer> numbers = new IdentityHashMap<>();

    private TreeText() {}

    static String of(Object value) {
        TreeText text = new TreeText();
        text.append(value);
        return text.out.toString();
    }

    private void append(Object value) {
        if (value instanceof Tensor t) {
            out.append("tensor#")
                    .append(number(t))
                    .append(t.dtype())
                    .append(Arrays.toString(t.sizes()))
                    .append(Arrays.toString(t.strides()))
                    .append(t.offset())
                    .append(" of ")
                    .append(number(t.storage()))
                    .append(t.requiresGrad());
            if (t.quantization() instanceof Quantization.PerChannel q) {
                out.append(Arrays.toString(q.scales()))
                        .append(Arrays.toString(q.zeroPoints()))
                        .append(q.axis());
            } else {
                out.append(t.quantization());
            }
            for (int i = 0; i < t.numel(); i++) {
                out.append(' ').append(t.getDouble(i));
            }
        } else if (value instanceof ScriptTuple tuple) {
            out.append('(');
            tuple.items().forEach(this::append);
            out.append(')');
        } else if (value instanceof PickledList list) {
            out.append(list.type()).append('[');
            list.items().forEach(this::append);
            out.append(']');
        } else if (value instanceof PickledDict dict) {
            out.append(dict.type()).append('{');
            dict.entries().forEach(entry -> {
                append(entry.getKey());
                out.append(':');
                append(entry.getValue());
            });
            out.append('}');
        } else if (value instanceof PickledObject object) {
            out.append(object.className()).append('#').append(number(object));
            append(object.state());
        } else {
            out.append(value);
        }
        out.append(",\n");
    }

    private int number(Object value) {
        return numbers.computeIfAbsent(value, k -> numbers.size());
    }
}
