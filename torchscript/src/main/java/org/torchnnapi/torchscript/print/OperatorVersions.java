package org.torchnnapi.torchscript.print;

import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.Upgraders;

/** The file format that operators ask for: those that meant something else in older ones. */
final class OperatorVersions {
    private static final int LEAST = 3;
    private int least = LEAST;

    /** Operators on plain numbers never changed. */
    void used(Node node) {
        if (node.schema() == null
                || node.schema().returns().stream().anyMatch(result -> result.type() == Type.Basic.TENSOR)) {
            least = Math.max(least, Upgraders.since(node.kind()));
        }
    }

    int least() {
        return least;
    }
}
