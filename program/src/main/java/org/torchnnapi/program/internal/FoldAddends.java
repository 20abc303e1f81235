package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.program.Graph;
import org.torchnnapi.program.op.Binary;
import org.torchnnapi.program.op.Convolution;

/** Makes a sum part of the convolution that computes one of its two values, as a second input, if that value has no other use. */
final class FoldAddends implements Pass {
    @Override
    public void run(Draft draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        List<Graph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            Graph.Node node = nodes.get(i);
            if (!(node.op() instanceof Binary sum) || sum.op() != BinaryOp.ADD || !Arrays.equals(draft.type(node.inputs()[0]).shape(),
                    draft.type(node.inputs()[1]).shape())) {
                continue;
            }
            // The later of two convolutions, so that neither waits with its result.
            int first = producers[node.inputs()[0]] > producers[node.inputs()[1]] ? 0 : 1;
            for (int side : new int[] {first, 1 - first}) {
                int at = producers[node.inputs()[side]];
                if (at >= 0 && uses[node.inputs()[side]] == 1 && nodes.get(at) != null && nodes.get(at).inputs().length == 1
                        && nodes.get(at).op() instanceof Convolution convolution && convolution.clamp().isNone()) {
                    nodes.set(i, new Graph.Node(convolution.limited(sum.clamp()), new int[] {nodes.get(at).inputs()[0], node.inputs()[1 - side]},
                            node.output()));
                    nodes.set(at, null);
                    break;
                }
            }
        }
        draft.replace(nodes);
    }
}
