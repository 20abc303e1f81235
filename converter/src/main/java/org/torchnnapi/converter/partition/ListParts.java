package org.torchnnapi.converter.partition;

import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Parts of a tensor that are listed and taken from the list become slices of it, so that only lists that are joined
 * remain.
 */
final class ListParts {
    private final Graph graph;
    private final Map<Value, List<TensorFacts>> facts;

    private ListParts(Graph graph, Map<Value, List<TensorFacts>> facts) {
        this.graph = graph;
        this.facts = facts;
    }

    /** Changes {@code graph} and adds what is known of the slices to {@code facts}. */
    static void run(Graph graph, PartialEvaluation.Facts known) {
        Map<Value, List<TensorFacts>> facts = known.tensors();
        ListParts parts = new ListParts(graph, facts);
        for (Node node : List.copyOf(graph.block().nodes())) {
            Node source = node.inputs().isEmpty() ? null : node.input(0).definition();
            if (source == null
                    || !OperatorTrait.DIVIDES.of(source)
                    || !facts.containsKey(source.output())
                    || source.owner() != node.owner()) {
                continue;
            }
            if (node.is(Prim.LIST_UNPACK)) {
                for (int i = 0; i < node.outputs().size(); i++) {
                    parts.replace(node, node.output(i), source, i);
                }
                node.destroy();
            } else if (NodeBuilder.isItem(node) && Literals.of(node.input(1)).isPresent()) {
                long index = (Long) Literals.of(node.input(1)).get().value();
                int count = facts.get(source.output()).size();
                parts.replace(node, node.output(), source, (int) (index < 0 ? index + count : index));
                node.destroy();
            }
        }
        DeadCode.run(graph);
    }

    private void replace(Node before, Value part, Node source, int number) {
        List<TensorFacts> all = facts.get(source.output());
        boolean unbind = source.is("aten::unbind");
        int rank = facts.get(source.input(0)).get(0).rank();
        long given = (Long) Literals.of(source.input(unbind ? 1 : 2)).get().value();
        long dimension = given < 0 ? given + rank : given;
        NodeBuilder calls = NodeBuilder.before(before);
        long from = unbind
                ? number
                : all.subList(0, number).stream()
                        .mapToLong(f -> f.size((int) dimension))
                        .sum();
        Value out = unbind
                ? calls.select(source.input(0), dimension, from)
                : calls.slice(
                        source.input(0), dimension, from, from + all.get(number).size((int) dimension));
        out.name(part.name()).definition().range(source.range());
        part.replaceAllUsesWith(out);
        facts.put(out, List.of(all.get(number)));
    }
}
