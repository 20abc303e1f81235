package org.torchnnapi.converter.passes;

import java.util.List;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Block;
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
        return run(graph.block());
    }

    private static boolean run(Block block) {
        boolean changed = false;
        for (Node node : List.copyOf(block.nodes())) {
            for (Block inner : node.blocks()) {
                changed |= run(inner);
            }
            if (!TO_NUMBER.contains(node.kind()) || node.inputs().size() != 1) {
                continue;
            }
            Node maker = node.input(0).definition();
            if (maker == null || !maker.is("prim::NumToTensor")) {
                continue;
            }
            Value number = maker.input(0);
            if (number.type().equals(node.output().type())) {
                node.output().replaceAllUsesWith(number);
                node.destroy();
                changed = true;
            }
        }
        return changed;
    }
}
