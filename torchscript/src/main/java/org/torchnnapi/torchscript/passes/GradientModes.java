package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

/** Leaves out {@code with torch.no_grad()} and its like, which mean nothing where nothing is trained, unless the code asks for the mode. */
public final class GradientModes {
    private static final String CLASSES = "__torch__.torch.autograd.grad_mode.";

    private GradientModes() {
    }

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        List<Node> found = new ArrayList<>();
        EachNode.over(graph, node -> {
            if (isMode(node)) {
                found.add(node);
            }
            return false;
        });
        if (found.isEmpty() || found.stream().anyMatch(node -> node.output().isUsed()) || EachNode.any(graph, node -> node.is("aten::is_grad_enabled"))) {
            return false;
        }
        found.forEach(Node::destroy);
        return true;
    }

    /** Whether a node enters or leaves such a mode. */
    public static boolean isMode(Node node) {
        return (node.is("prim::Enter") || node.is("prim::Exit")) && node.input(0).type().text().startsWith(CLASSES);
    }
}
