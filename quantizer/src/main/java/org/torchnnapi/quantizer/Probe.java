package org.torchnnapi.quantizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Value;

/** A copy of a graph that gives chosen values of its own block in place of its results. */
final class Probe {
    private final Interpreter interpreter;
    private final Graph copy = new Graph();
    private final Map<Value, Value> values = new HashMap<>();
    private final List<Value> wanted;

    /** @param wanted values of {@code graph}'s own block; its results may be among them */
    Probe(Interpreter interpreter, Graph graph, List<Value> wanted) {
        this.interpreter = interpreter;
        this.wanted = wanted;
        for (Value input : graph.inputs()) {
            values.put(input, copy.addInput(input.type(), input.name()));
        }
        new BlockCopy(copy, values).copyInto(graph.block(), copy.block()::append);
        wanted.forEach(value -> copy.block().addResult(values.get(value)));
    }

    /** The copy's own value for one of the graph; more may be computed from it before the first run. */
    Value of(Value value) {
        return values.get(value);
    }

    Graph graph() {
        return copy;
    }

    /** @return the wanted values, then what was added to the copy's results */
    List<Object> run(Object[] arguments) {
        Object result = interpreter.run(copy, arguments);
        List<Object> all = new ArrayList<>();
        if (copy.block().results().size() == 1) {
            all.add(result);
        } else if (!copy.block().results().isEmpty()) {
            all.addAll(Arrays.asList((Object[]) result));
        }
        return all;
    }

    List<Value> wanted() {
        return wanted;
    }
}
