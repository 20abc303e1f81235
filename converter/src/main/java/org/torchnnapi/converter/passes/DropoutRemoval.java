package org.torchnnapi.converter.passes;

import java.util.Set;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

/** Removes dropout whose training flag is false, where it returns its input. */
public final class DropoutRemoval {
    private static final Set<String> KINDS = Set.of("aten::dropout", "aten::dropout_", "aten::feature_dropout",
        "aten::feature_dropout_", "aten::alpha_dropout", "aten::alpha_dropout_", "aten::feature_alpha_dropout",
        "aten::feature_alpha_dropout_");

    private DropoutRemoval() {
    }

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return Walk.over(graph, DropoutRemoval::remove);
    }

    private static boolean remove(Node node) {
        if (!KINDS.contains(node.kind()) || node.inputs().size() != 3
            || Literals.of(node.input(2)).filter(train -> Boolean.FALSE.equals(train.value())).isEmpty()) {
            return false;
        }
        node.output().replaceAllUsesWith(node.input(0));
        node.destroy();
        return true;
    }
}
