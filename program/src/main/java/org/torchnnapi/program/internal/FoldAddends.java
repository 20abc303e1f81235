package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.Convolving;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;

/**
 * Makes a sum part of the convolution that computes one of its two values, as a second input, if that value has no
 * other use.
 */
final class FoldAddends implements Pass {
    @Override
    public void run(MutableGraph draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            if (!isSum(node.op())
                    || !Arrays.equals(
                            draft.type(node.inputs()[0]).shape(),
                            draft.type(node.inputs()[1]).shape())) {
                continue;
            }
            // The later of two convolutions, so that neither waits with its result.
            int first = producers[node.inputs()[0]] > producers[node.inputs()[1]] ? 0 : 1;
            for (int side : new int[] {first, 1 - first}) {
                int at = producers[node.inputs()[side]];
                OpGraph.Node producer = at < 0 ? null : nodes.get(at);
                if (producer == null || uses[node.inputs()[side]] != 1 || producer.inputs().length != 1) {
                    continue;
                }
                Op fused = fused(producer.op(), node.op(), side);
                if (fused != null) {
                    nodes.set(
                            i,
                            new OpGraph.Node(
                                    fused, new int[] {producer.inputs()[0], node.inputs()[1 - side]}, node.output()));
                    nodes.set(at, null);
                    break;
                }
            }
        }
        draft.replace(nodes);
    }

    private static boolean isSum(Op op) {
        return op instanceof QuantizedAddOp || op instanceof BinaryMathOp binary && binary.op() == BinaryOp.ADD;
    }

    /** @param side which input of the sum the convolution computes */
    private static Op fused(Op producer, Op sum, int side) {
        if (producer instanceof Convolving convolution
                && sum instanceof BinaryMathOp binary
                && convolution.activation().isNone()) {
            return convolution.limited(binary.clamp());
        }
        if (producer instanceof QuantizedConvolutionOp c && sum instanceof QuantizedAddOp add) {
            return new QuantizedConvolutionOp(
                    c.shape(),
                    c.order(),
                    c.weights(),
                    c.bias(),
                    c.requantization(),
                    add.output(),
                    side == 0 ? add.sum() : add.sum().swapped());
        }
        return null;
    }
}
