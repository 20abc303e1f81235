package org.torchnnapi.torchscript.passes;

import java.util.List;
import java.util.function.Predicate;
import org.torchnnapi.tensor.platform.Interruption;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

/** Passes that look at one node after the other; an interrupt of the thread ends them between two. */
public final class EachNode {
    private EachNode() {}

    /**
     * Shows a rule every node, in execution order, those of a node's blocks behind it.
     *
     * @param rule may replace or remove the node it is shown; says whether it changed anything
     * @return whether anything changed
     */
    public static boolean over(Graph graph, Predicate<Node> rule) {
        return over(graph.block(), rule);
    }

    /** Whether some node, of whichever block, is such a one. */
    public static boolean any(Graph graph, Predicate<Node> rule) {
        return any(graph.block(), rule);
    }

    private static boolean any(Block block, Predicate<Node> rule) {
        for (Node node : block.nodes()) {
            Interruption.check();
            if (rule.test(node) || node.blocks().stream().anyMatch(inner -> any(inner, rule))) {
                return true;
            }
        }
        return false;
    }

    private static boolean over(Block block, Predicate<Node> rule) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            Interruption.check();
            changed |= rule.test(node);
            for (Block inner : node.blocks()) {
                changed |= over(inner, rule);
            }
        }
        return changed;
    }
}
