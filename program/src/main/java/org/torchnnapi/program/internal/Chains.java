package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatChain;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedChain;
import org.torchnnapi.program.Graph;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.Convolution;
import org.torchnnapi.program.op.QuantizedConvolution;

/**
 * Joins a depthwise convolution with the pointwise ones before and behind it, where only they use what lies between and this machine's
 * kernels gain by it.
 */
final class Chains implements Pass {
    @Override
    public void run(Draft draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        int[] user = new int[draft.values()];
        List<Graph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            for (int input : nodes.get(i).inputs()) {
                user[input] = i;
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            Graph.Node node = nodes.get(i);
            if (node == null || node.inputs().length != 1 || !pays(node.op())) {
                continue;
            }
            int before = uses[node.inputs()[0]] == 1 ? producers[node.inputs()[0]] : -1;
            int behind = uses[node.output()] == 1 && !draft.isOutput(node.output()) ? user[node.output()] : -1;
            Graph.Node expand = before >= 0 ? pointwise(nodes.get(before), node.op()) : null;
            Graph.Node project = behind >= 0 ? pointwise(nodes.get(behind), node.op()) : null;
            if (expand != null && expand.inputs().length != 1) {
                expand = null;
            }
            if (project != null && project.inputs()[0] != node.output()) {
                project = null;
            }
            if (expand == null && project == null) {
                continue;
            }
            List<Graph.Node> stages = new ArrayList<>();
            for (Graph.Node stage : new Graph.Node[] {expand, node, project}) {
                if (stage != null) {
                    stages.add(stage);
                }
            }
            Graph.Node last = stages.get(stages.size() - 1);
            int[] values = last.inputs().clone();
            values[0] = stages.get(0).inputs()[0];
            nodes.set(expand == null ? i : before, null);
            nodes.set(i, null);
            // Where the last stage stood, so that what it adds is there.
            nodes.set(project == null ? i : behind, new Graph.Node(block(stages, expand == null ? 0 : 1, draft), values, last.output()));
        }
        draft.replace(nodes);
    }

    private static boolean pays(Op op) {
        ConvShape shape = shape(op);
        boolean depthwise = shape != null && shape.isDepthwise() && shape.outC() == shape.inC() && !shape.transposed();
        return depthwise && (op instanceof Convolution ? FloatChain.pays(shape) : QuantizedChain.pays(shape));
    }

    private static ConvShape shape(Op op) {
        return op instanceof Convolution real ? real.shape() : op instanceof QuantizedConvolution quantized ? quantized.shape() : null;
    }

    private static ImageLayout order(Op op) {
        return op instanceof Convolution real ? real.order() : ((QuantizedConvolution) op).order();
    }

    /** The node if it is a pointwise convolution over the same kind of images; else null. */
    private static Graph.Node pointwise(Graph.Node node, Op depthwise) {
        ConvShape shape = node == null || node.op().getClass() != depthwise.getClass() ? null : shape(node.op());
        boolean fits = shape != null && shape.isPointwise() && shape.groups() == 1 && !shape.transposed() && order(node.op()) == order(depthwise);
        return fits ? node : null;
    }

    private static Op block(List<Graph.Node> stages, int depthwise, Draft draft) {
        if (stages.get(0).op() instanceof Convolution) {
            return new FloatBlock(stages.stream().map(stage -> (Convolution) stage.op()).toList(), depthwise);
        }
        List<ValueType> inputs = stages.stream().map(stage -> draft.type(stage.inputs()[0])).toList();
        return new QuantizedBlock(stages.stream().map(stage -> (QuantizedConvolution) stage.op()).toList(), depthwise, inputs);
    }
}
