package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.Graph;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.Limit;

/** Makes a limit part of what computes the value it limits, if that has no other use. */
final class FoldLimits implements Pass {
    @Override
    public void run(Draft draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        List<Graph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            Graph.Node node = nodes.get(i);
            if (!(node.op() instanceof Limit limit) || uses[node.inputs()[0]] != 1 || producers[node.inputs()[0]] < 0) {
                continue;
            }
            int at = producers[node.inputs()[0]];
            Graph.Node producer = nodes.get(at);
            Op limited = producer.op().limited(limit.clamp());
            if (limited != null) {
                nodes.set(at, new Graph.Node(limited, producer.inputs(), node.output()));
                nodes.set(i, null);
                producers[node.output()] = at;
            }
        }
        draft.replace(nodes);
    }
}
