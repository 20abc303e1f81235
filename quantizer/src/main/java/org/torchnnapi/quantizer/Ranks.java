package org.torchnnapi.quantizer;

import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Makes numbers of dimensions constants, as they were on some input. Scripted layers ask for them to raise errors,
 * which stands between a layer and what would be fused with it; a quantized layer takes inputs of one rank in any case.
 */
final class Ranks {
    private final Map<Value, Tensor> seen;
    private boolean changed;

    private Ranks(Map<Value, Tensor> seen) {
        this.seen = seen;
    }

    /** @return whether anything changed */
    static boolean fix(Graph graph, Map<Value, Tensor> seen) {
        Ranks ranks = new Ranks(seen);
        ranks.block(graph.block());
        return ranks.changed;
    }

    private void block(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(this::block);
            Tensor tensor = asked(node);
            if (tensor != null) {
                node.output().replaceAllUsesWith(Operators.constant(node, (long) tensor.rank()));
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
        return sizes != null && sizes.is("aten::size") && sizes.inputs().size() == 1 ? seen.get(sizes.input(0)) : null;
    }
}
