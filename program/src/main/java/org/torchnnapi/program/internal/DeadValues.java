package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.OpGraph;

/** Leaves out what no output needs. */
final class DeadValues implements Pass {
    @Override
    public void run(MutableGraph draft) {
        boolean[] needed = new boolean[draft.values()];
        for (int output : draft.outputs()) {
            needed[output] = true;
        }
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            OpGraph.Node node = nodes.get(i);
            if (!needed[node.output()]) {
                nodes.set(i, null);
                continue;
            }
            for (int input : node.inputs()) {
                needed[input] = true;
            }
        }
        draft.replace(nodes);
    }
}
