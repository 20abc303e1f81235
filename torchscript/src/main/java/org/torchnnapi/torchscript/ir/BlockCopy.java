package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Copies nodes of one block into another graph, renaming values through a map. */
public final class BlockCopy {
    private final Graph target;
    private final Map<Value, Value> values;

    /** @param values how values defined outside the copied nodes translate; copied values are added to it */
    public BlockCopy(Graph target, Map<Value, Value> values) {
        this.target = target;
        this.values = values;
    }

    /** A graph of its own with all that another has. */
    public static Graph of(Graph source) {
        return of(
                source,
                source.inputs().isEmpty() ? null : source.inputs().get(0).type());
    }

    /** As {@link #of(Graph)}, of a method whose object, the first input, is of another type. */
    public static Graph of(Graph source, Type self) {
        Graph graph = new Graph();
        Map<Value, Value> values = new HashMap<>();
        for (Value input : source.inputs()) {
            values.put(input, graph.addInput(values.isEmpty() ? self : input.type(), input.name()));
        }
        new BlockCopy(graph, values)
                .copyInto(source.block(), graph.block()::append)
                .forEach(graph.block()::addResult);
        return graph;
    }

    /**
     * Copies all nodes of {@code source}, handing each free copy to {@code insert} in order.
     *
     * @return what the block's results became
     */
    public List<Value> copyInto(Block source, Consumer<Node> insert) {
        for (Node node : List.copyOf(source.nodes())) {
            insert.accept(copyOf(node));
        }
        List<Value> results = new ArrayList<>();
        for (Value result : source.results()) {
            results.add(translate(result));
        }
        return results;
    }

    /** A free copy of one node with all it contains. */
    public Node copyOf(Node node) {
        Node made = target.create(node.kind()).schema(node.schema()).range(node.range());
        made.attributes().putAll(node.attributes());
        for (Value input : node.inputs()) {
            made.addInput(translate(input));
        }
        for (Value output : node.outputs()) {
            values.put(output, made.addOutput(output.type()).name(output.name()));
        }
        for (Block block : node.blocks()) {
            Block inner = made.addBlock();
            for (Value parameter : block.parameters()) {
                values.put(parameter, inner.addParameter(parameter.type(), parameter.name()));
            }
            copyInto(block, inner::append).forEach(inner::addResult);
        }
        return made;
    }

    private Value translate(Value value) {
        Value translated = values.get(value);
        if (translated == null) {
            throw new IllegalStateException(
                    "value " + value + " is used outside the copied block (expected: defined in it or mapped)");
        }
        return translated;
    }
}
