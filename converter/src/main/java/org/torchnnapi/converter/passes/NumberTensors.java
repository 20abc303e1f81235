package org.torchnnapi.converter.passes;

import java.util.Set;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Undoes the detour of traced sizes: a number made a tensor and a number again is the number. */
final class NumberTensors {
    private static final Set<String> TO_NUMBER = Set.of("aten::Int", "aten::Float", "aten::Bool", "aten::IntImplicit", "aten::FloatImplicit",
        "aten::ScalarImplicit");

    private NumberTensors() {
    }

    /** @return whether anything changed */
    static boolean run(Graph graph) {
        return Walk.over(graph, NumberTensors::undo);
    }

    private static boolean undo(Node node) {
        Node maker = TO_NUMBER.contains(node.kind()) && node.inputs().size() == 1 ? node.input(0).definition() : null;
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
