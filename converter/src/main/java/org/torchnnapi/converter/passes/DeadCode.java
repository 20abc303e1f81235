package org.torchnnapi.converter.passes;

import java.util.List;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Removes nodes whose outputs nobody uses and which do nothing else. */
public final class DeadCode {
    private DeadCode() {
    }

    /** @return whether anything was removed */
    public static boolean run(Graph graph) {
        boolean any = false;
        while (sweep(graph.block())) {
            any = true;
        }
        return any;
    }

    private static boolean sweep(Block block) {
        boolean changed = false;
        List<Node> nodes = List.copyOf(block.nodes());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Node node = nodes.get(i);
            if (node.outputs().stream().noneMatch(Value::isUsed) && !Effects.hasSideEffects(node)) {
                node.destroy();
                changed = true;
                continue;
            }
            if (node.is("prim::If")) {
                changed |= dropUnusedBranchResults(node);
            }
            for (Block inner : node.blocks()) {
                changed |= sweep(inner);
            }
        }
        return changed;
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
}
