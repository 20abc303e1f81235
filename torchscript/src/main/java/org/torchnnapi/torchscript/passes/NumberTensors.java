package org.torchnnapi.torchscript.passes;

import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Value;

/** Undoes the detour of traced sizes: a number made a tensor and a number again is the number. */
public final class NumberTensors {
    private NumberTensors() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return EachNode.over(graph, NumberTensors::undo);
    }

    private static boolean undo(Node node) {
        Node maker = OperatorTrait.ITEM.of(node) && node.inputs().size() == 1
                ? node.input(0).definition()
                : null;
        if (maker == null || !maker.is("prim::NumToTensor")) {
            return false;
        }
        Value number = maker.input(0);
        if (!number.type().equals(node.output().type())) {
            return false;
        }
        node.output().replaceAllUsesWith(number);
        node.destroy();
        return true;
    }
}
