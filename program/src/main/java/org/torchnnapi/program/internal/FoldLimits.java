package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.Graph;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.Limit;
import org.torchnnapi.program.op.Table;

/** Makes a limit, of floats or of bytes, part of what computes the value it limits, if that has no other use. */
final class FoldLimits implements Pass {
    @Override
    public void run(Draft draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        List<Graph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            Graph.Node node = nodes.get(i);
            int limited = node.inputs()[0];
            if (uses[limited] != 1 || producers[limited] < 0) {
                continue;
            }
            int at = producers[limited];
            Op fused = fused(nodes.get(at).op(), node, draft);
            if (fused != null) {
                nodes.set(at, new Graph.Node(fused, nodes.get(at).inputs(), node.output()));
                nodes.set(i, null);
                producers[node.output()] = at;
            }
        }
        draft.replace(nodes);
    }

    private static Op fused(Op producer, Graph.Node node, Draft draft) {
        if (node.op() instanceof Limit limit) {
            return producer.limited(limit.clamp());
        }
        int[] limits = node.op() instanceof Table table ? table.limits(draft.type(node.inputs()[0])) : null;
        return limits == null ? null : producer.limited(limits[0], limits[1]);
    }
}
