package org.torchnnapi.quantizer;

import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.Composite;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Inlining;

/** What follows from numbers of dimensions as they were on some input. */
final class Ranks {
    private static final Function ROWS = new Composite(
                    "ranks::linear(Tensor input, Tensor weight, Tensor? bias) -> Tensor",
                    "return torch.squeeze(torch.linear(torch.unsqueeze(input, 0), weight, bias), 0)",
                    null)
            .function();

    private final Map<Value, Tensor> seen;
    private boolean changed;

    private Ranks(Map<Value, Tensor> seen) {
        this.seen = seen;
    }

    /**
     * Makes numbers of dimensions constants. Scripted layers ask for them to raise errors, which stands between a layer
     * and what would be fused with it; a quantized layer takes inputs of one rank in any case.
     *
     * @return whether anything changed
     */
    static boolean fix(Graph graph, Map<Value, Tensor> seen) {
        Ranks ranks = new Ranks(seen);
        ranks.block(graph.block());
        return ranks.changed;
    }

    /**
     * Makes linear layers of vectors such of matrices of one row, as quantized ones take no vectors. Where the rank is
     * not seen, within blocks, the input gets one dimension more, which changes nothing else.
     */
    static void linearOfRows(Block block, Map<Value, Tensor> seen) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(inner -> linearOfRows(inner, seen));
            boolean linear = Product.of(node)
                    .filter(product -> product.kind() == Product.Kind.LINEAR)
                    .isPresent();
            Tensor input = seen.get(node.inputs().isEmpty() ? null : node.input(0));
            if (linear && (input == null || input.rank() < 2)) {
                List<Value> rows = Inlining.before(
                        node, ROWS.graph(), made -> made.nodes().forEach(each -> each.range(node.range())));
                node.output().replaceAllUsesWith(rows.get(0));
                node.destroy();
            }
        }
    }

    private void block(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(this::block);
            Tensor tensor = asked(node);
            if (tensor != null) {
                node.output().replaceAllUsesWith(NodeBuilder.before(node).value(tensor.rank()));
                node.destroy();
                changed = true;
            }
        }
    }

    /** The tensor whose rank a node gives, or null. */
    private Tensor asked(Node node) {
        if (node.is("aten::dim")) {
            return seen.get(node.input(0));
        }
        Node sizes = node.is("aten::len") ? node.input(0).definition() : null;
        return sizes != null && NodeBuilder.isSize(sizes) && sizes.inputs().size() == 1
                ? seen.get(sizes.input(0))
                : null;
    }
}
