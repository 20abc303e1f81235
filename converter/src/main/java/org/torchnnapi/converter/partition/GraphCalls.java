package org.torchnnapi.converter.partition;

import java.util.function.Consumer;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Calls of operators that are put before a node, and where they come from in the source is where the node does. */
final class GraphCalls implements NodeBuilder {
    private final Node place;

    GraphCalls(Node place) {
        this.place = place;
    }

    /** What writes nodes; their constants are put nowhere, as who places a node places what it reads. */
    static NodeBuilder into(Graph graph, Consumer<Node> place) {
        return new NodeBuilder() {
            @Override
            public Node create(String kind) {
                return graph.create(kind);
            }

            @Override
            public Node append(Node node) {
                place.accept(node);
                return node;
            }

            @Override
            public Value constant(Object value) {
                return NodeBuilder.constant(graph, value).output();
            }
        };
    }

    @Override
    public Node create(String kind) {
        return place.graph().create(kind).range(place.range());
    }

    @Override
    public Node append(Node node) {
        return place.owner().insertBefore(place, node);
    }

    @Override
    public Value constant(Object value) {
        return append(NodeBuilder.constant(place.graph(), value)).output();
    }
}
