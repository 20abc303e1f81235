package org.torchnnapi.torchscript.passes;

import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;

/** Casts to the type that a value has already are left out. */
public final class PlainCasts {
    private PlainCasts() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return EachNode.over(graph, PlainCasts::drop);
    }

    private static boolean drop(Node node) {
        if (!node.is(Prim.UNCHECKED_CAST)
                || !node.input(0).type().equals(node.output().type())) {
            return false;
        }
        node.output().replaceAllUsesWith(node.input(0));
        node.destroy();
        return true;
    }
}
