package org.torchnnapi.torchscript.source;

import java.util.List;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Takes out what building leaves behind: results of branches that nobody reads, loop variables that do not change or are
 * not read, and constants and tuples without users.
 */
final class Cleanup {
    private static final Set<String> PURE = Set.of("prim::Constant", "prim::TupleConstruct", "prim::Uninitialized");

    private Cleanup() {
    }

    static void run(Graph graph) {
        block(graph.block());
    }

    /** Backwards, so that users go before what they use. */
    private static void block(Block block) {
        List<Node> nodes = List.copyOf(block.nodes());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Node node = nodes.get(i);
            if (node.is("prim::If")) {
                branchResults(node);
            } else if (node.is("prim::Loop")) {
                loopVariables(node);
            }
            for (Block inner : node.blocks()) {
                block(inner);
            }
            if (node.is("prim::Loop")) {
                loopVariables(node);
            }
            if (PURE.contains(node.kind()) && !isUsed(node)) {
                node.destroy();
            }
        }
    }

    private static boolean isUsed(Node node) {
        for (Value output : node.outputs()) {
            if (output.isUsed()) {
                return true;
            }
        }
        return false;
    }

    private static void branchResults(Node node) {
        for (int i = node.outputs().size() - 1; i >= 0; i--) {
            if (!node.output(i).isUsed()) {
                node.removeOutput(i);
                for (Block block : node.blocks()) {
                    block.returns().removeInput(i);
                }
            }
        }
    }

    private static void loopVariables(Node node) {
        Block block = node.blocks().get(0);
        for (int i = node.outputs().size() - 1; i >= 0; i--) {
            Value parameter = block.parameters().get(i + 1);
            boolean unchanged = block.results().get(i + 1) == parameter;
            if (unchanged) {
                node.output(i).replaceAllUsesWith(node.input(i + 2));
                block.returns().removeInput(i + 1);
                parameter.replaceAllUsesWith(node.input(i + 2));
                removeVariable(node, block, i);
            } else if (!node.output(i).isUsed() && !parameter.isUsed()) {
                block.returns().removeInput(i + 1);
                removeVariable(node, block, i);
            }
        }
    }

    private static void removeVariable(Node node, Block block, int index) {
        node.removeInput(index + 2);
        node.removeOutput(index);
        block.removeParameter(index + 1);
    }
}
