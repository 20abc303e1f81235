package org.torchnnapi.torchscript.passes;

import java.util.List;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;

/** Moves nodes between blocks of one graph. */
final class Splice {
    private Splice() {}

    /** Moves all nodes of {@code source}, in order, to just before {@code position}; its results stay referenced. */
    static void before(Node position, Block source) {
        for (Node node : List.copyOf(source.nodes())) {
            source.remove(node);
            position.owner().insertBefore(position, node);
        }
    }
}
