package org.torchnnapi.torchscript.passes;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Removes nodes whose outputs nobody uses and which do nothing else, results of branches that nobody reads, and loop
 * variables that do not change or are not read.
 */
public final class DeadCode {
    /** What building a graph leaves behind. */
    private static final Set<String> REMAINS = Set.of(Prim.CONSTANT, Prim.TUPLE_CONSTRUCT, Prim.UNINITIALIZED);

    private DeadCode() {}

    /** @return whether anything was removed */
    public static boolean run(Graph graph) {
        boolean any = false;
        while (sweep(graph.block(), node -> !Effects.hasSideEffects(node))) {
            any = true;
        }
        return any;
    }

    /**
     * Removes what building a graph leaves behind, and no operator: constants and tuples without users, and unread
     * results and variables.
     */
    public static void tidy(Graph graph) {
        sweep(graph.block(), node -> REMAINS.contains(node.kind()));
    }

    /** Backwards, so that users go before what they use. */
    private static boolean sweep(Block block, Predicate<Node> removable) {
        boolean changed = false;
        List<Node> nodes = List.copyOf(block.nodes());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Node node = nodes.get(i);
            if (isUnused(node) && removable.test(node)) {
                node.destroy();
                changed = true;
                continue;
            }
            if (node.is(Prim.IF)) {
                changed |= dropUnusedBranchResults(node);
            } else if (node.is(Prim.LOOP)) {
                changed |= dropLoopVariables(node);
            }
            for (Block inner : node.blocks()) {
                changed |= sweep(inner, removable);
            }
            if (node.is(Prim.LOOP)) {
                // What the body alone read may be unread now.
                changed |= dropLoopVariables(node);
            }
        }
        return changed;
    }

    private static boolean isUnused(Node node) {
        for (Value output : node.outputs()) {
            if (output.isUsed()) {
                return false;
            }
        }
        return true;
    }

    private static boolean dropUnusedBranchResults(Node node) {
        boolean changed = false;
        for (int i = node.outputs().size() - 1; i >= 0; i--) {
            if (!node.output(i).isUsed()) {
                node.removeOutput(i);
                for (Block branch : node.blocks()) {
                    branch.returns().removeInput(i);
                }
                changed = true;
            }
        }
        return changed;
    }

    private static boolean dropLoopVariables(Node node) {
        Block body = node.blocks().get(0);
        boolean changed = false;
        for (int i = node.outputs().size() - 1; i >= 0; i--) {
            Value parameter = body.parameters().get(i + 1);
            boolean unchanged = body.results().get(i + 1) == parameter;
            if (unchanged || !node.output(i).isUsed() && !parameter.isUsed()) {
                body.returns().removeInput(i + 1);
                if (unchanged) {
                    node.output(i).replaceAllUsesWith(node.input(i + 2));
                    parameter.replaceAllUsesWith(node.input(i + 2));
                }
                node.removeInput(i + 2);
                node.removeOutput(i);
                body.removeParameter(i + 1);
                changed = true;
            }
        }
        return changed;
    }
}
