package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatChain;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedChain;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Joins a depthwise convolution with the pointwise ones before and behind it, or the first one of a network before it,
 * where only they use what lies between and this machine's kernels gain by it.
 */
final class InvertedResidualFusion implements Pass {
    /** Channels of the input of a network's first convolution, at most. */
    private static final int PICTURE = 4;

    @Override
    public void run(MutableGraph draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        int[] user = new int[draft.values()];
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            for (int input : nodes.get(i).inputs()) {
                user[input] = i;
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            if (node == null || node.inputs().length != 1 || !isDepthwise(node.op())) {
                continue;
            }
            int before = uses[node.inputs()[0]] == 1 ? producers[node.inputs()[0]] : -1;
            int behind = uses[node.output()] == 1 && !draft.isOutput(node.output()) ? user[node.output()] : -1;
            OpGraph.Node expand = before >= 0 && widens(nodes.get(before), node.op()) ? nodes.get(before) : null;
            boolean byChannels = expand != null && paysByChannels(node.op(), weights(expand));
            OpGraph.Node project =
                    !byChannels && behind >= 0 && isPointwise(nodes.get(behind), node.op()) ? nodes.get(behind) : null;
            if (project != null && project.inputs()[0] != node.output()) {
                project = null;
            }
            if (!byChannels && !pays(node.op(), weights(expand) + weights(project))) {
                continue;
            }
            if (expand == null && project == null) {
                continue;
            }
            List<OpGraph.Node> stages = new ArrayList<>();
            for (OpGraph.Node stage : new OpGraph.Node[] {expand, node, project}) {
                if (stage != null) {
                    stages.add(stage);
                }
            }
            OpGraph.Node last = stages.get(stages.size() - 1);
            int[] values = last.inputs().clone();
            values[0] = stages.get(0).inputs()[0];
            nodes.set(expand == null ? i : before, null);
            nodes.set(i, null);
            // Where the last stage stood, so that what it adds is there.
            nodes.set(
                    project == null ? i : behind,
                    new OpGraph.Node(block(stages, expand == null ? 0 : 1, draft), values, last.output()));
        }
        draft.replace(nodes);
    }

    private static boolean isDepthwise(Op op) {
        ConvShape shape = shape(op);
        return shape != null && shape.isDepthwise() && shape.outC() == shape.inC() && !shape.transposed();
    }

    private static boolean pays(Op depthwise, long weights) {
        return depthwise instanceof ConvolutionOp
                ? FloatChain.pays(shape(depthwise), weights)
                : QuantizedChain.pays(shape(depthwise), weights);
    }

    private static long weights(OpGraph.Node stage) {
        return stage == null ? 0 : shape(stage.op()).weightCount();
    }

    private static boolean paysByChannels(Op depthwise, long weights) {
        return depthwise instanceof QuantizedConvolutionOp && QuantizedChain.paysByChannels(shape(depthwise), weights);
    }

    /** Null of what is no part of a chain. */
    private static ConvShape shape(Op op) {
        return op instanceof ConvolutionOp real && !real.isOfHalves()
                ? real.shape()
                : op instanceof QuantizedConvolutionOp quantized ? quantized.shape() : null;
    }

    private static ImageLayout order(Op op) {
        return op instanceof ConvolutionOp real ? real.order() : ((QuantizedConvolutionOp) op).order();
    }

    /** Whether the node is a convolution that a chain may begin with. */
    private static boolean widens(OpGraph.Node node, Op depthwise) {
        if (node == null || node.inputs().length != 1) {
            return false;
        }
        return isPointwise(node, depthwise)
                || node.op() instanceof ConvolutionOp first
                        && first.shape().inC() <= PICTURE
                        && isDense(node, depthwise);
    }

    private static boolean isPointwise(OpGraph.Node node, Op depthwise) {
        return isDense(node, depthwise) && shape(node.op()).isPointwise();
    }

    /** Whether the node is a convolution of one group over the same kind of images. */
    private static boolean isDense(OpGraph.Node node, Op depthwise) {
        ConvShape shape = node == null || node.op().getClass() != depthwise.getClass() ? null : shape(node.op());
        return shape != null && shape.groups() == 1 && !shape.transposed() && order(node.op()) == order(depthwise);
    }

    private static Op block(List<OpGraph.Node> stages, int depthwise, MutableGraph draft) {
        if (stages.get(0).op() instanceof ConvolutionOp) {
            return new FloatBlock(
                    stages.stream().map(stage -> (ConvolutionOp) stage.op()).collect(Streams.toList()), depthwise);
        }
        List<ValueType> inputs =
                stages.stream().map(stage -> draft.type(stage.inputs()[0])).collect(Streams.toList());
        return new QuantizedBlock(
                stages.stream()
                        .map(stage -> (QuantizedConvolutionOp) stage.op())
                        .collect(Streams.toList()),
                depthwise,
                inputs);
    }
}
