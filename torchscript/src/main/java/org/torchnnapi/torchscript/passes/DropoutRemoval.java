package org.torchnnapi.torchscript.passes;

import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Removes dropout whose training flag is false, where it returns its input. */
public final class DropoutRemoval {
    private DropoutRemoval() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return EachNode.over(graph, DropoutRemoval::remove);
    }

    private static boolean remove(Node node) {
        int flag = OperatorTrait.IDENTITY_IN_EVALUATION.of(node) ? node.schema().indexOf("train") : -1;
        if (flag < 0
                || !Literals.of(node.input(flag))
                        .filter(train -> Boolean.FALSE.equals(train.value()))
                        .isPresent()) {
            return false;
        }
        node.output().replaceAllUsesWith(node.input(0));
        node.destroy();
        return true;
    }
}
