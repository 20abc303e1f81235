package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;

/**
 * Leaves out what {@code with} begins and ends and no result knows of:
 * {@code torch.autograd.profiler.record_function(..)}, and {@code torch.no_grad()} and its like, which mean nothing
 * where nothing is trained, unless the code asks for the mode.
 */
public final class ContextManagerElimination {
    private static final String GRADIENT_MODES = "__torch__.torch.autograd.grad_mode.";
    private static final String RECORDINGS = "__torch__.torch.autograd.profiler.record_function";

    private ContextManagerElimination() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        boolean asks = EachNode.any(graph, node -> node.is("aten::is_grad_enabled"));
        List<Node> modes = new ArrayList<>();
        List<Node> recordings = new ArrayList<>();
        EachNode.over(graph, node -> {
            if (isOf(node, GRADIENT_MODES)) {
                modes.add(node);
            } else if (isOf(node, RECORDINGS)) {
                recordings.add(node);
            }
            return false;
        });
        boolean changed = false;
        for (List<Node> found : List.of(asks ? List.<Node>of() : modes, recordings)) {
            if (found.stream().noneMatch(node -> node.output().isUsed())) {
                found.forEach(Node::destroy);
                changed |= !found.isEmpty();
            }
        }
        return changed;
    }

    /** Whether a node enters or leaves such a context, for which no other node asks. */
    public static boolean isIdle(Node node) {
        return (isOf(node, GRADIENT_MODES) || isOf(node, RECORDINGS))
                && !node.output().isUsed();
    }

    private static boolean isOf(Node node, String classes) {
        return (node.is(Prim.ENTER) || node.is(Prim.EXIT))
                && node.input(0).type().text().startsWith(classes);
    }
}
