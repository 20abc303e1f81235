package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.program.op.UnaryMathOp;

/**
 * Makes a function of each element, or a limit, part of what computes its input, if that has no other use: the elements
 * are then still in registers or in the first cache.
 */
final class FoldActivations implements Pass {
    @Override
    public void run(MutableGraph draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            int input = node.inputs()[0];
            if (uses[input] != 1 || producers[input] < 0) {
                continue;
            }
            int at = producers[input];
            Op fused = fused(nodes.get(at).op(), node, draft);
            if (fused != null) {
                nodes.set(at, new OpGraph.Node(fused, nodes.get(at).inputs(), node.output()));
                nodes.set(i, null);
                producers[node.output()] = at;
            }
        }
        draft.replace(nodes);
    }

    private static Op fused(Op producer, OpGraph.Node node, MutableGraph draft) {
        if (node.op() instanceof ClampOp limit) {
            return producer.limited(limit.clamp());
        }
        if (node.op() instanceof UnaryMathOp unary) {
            return producer.applying(unary.op());
        }
        if (node.op() instanceof TableOp table) {
            int[] limits = table.limits(draft.type(node.inputs()[0]));
            return limits == null ? producer.applying(table) : producer.limited(limits[0], limits[1]);
        }
        return null;
    }
}
