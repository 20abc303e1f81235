package org.torchnnapi.converter.partition;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** What nodes read when they run: their inputs, and what the lists and tuples among these hold by then. */
final class ReadValues {
    private ReadValues() {}

    static Set<Value> of(Node node) {
        Set<Value> read = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Value> open = new ArrayDeque<>(node.inputs());
        while (!open.isEmpty()) {
            Value value = open.pop();
            if (read.add(value) && value.definition() != null && NodeLowerings.isGlue(value.definition())) {
                open.addAll(value.definition().inputs());
            }
        }
        return read;
    }
}
