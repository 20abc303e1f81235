package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.Convolving;

/**
 * Makes what follows a convolution channel by channel, such as batch normalisation, part of its weights and bias:
 * products with and sums and differences of constants that have one number, or one for each channel. Not products after
 * a transposed convolution, whose weights lie otherwise.
 */
final class FoldChannels implements Pass {
    @Override
    public void run(MutableGraph draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            if (!(node.op() instanceof BinaryMathOp binary)) {
                continue;
            }
            int side = draft.isConstant(node.inputs()[0]) && binary.op() != BinaryOp.SUB ? 1 : 0;
            int value = node.inputs()[side];
            int constant = node.inputs()[1 - side];
            int at = producers[value];
            if (at < 0
                    || uses[value] != 1
                    || !draft.isConstant(constant)
                    || nodes.get(at).inputs().length != 1
                    || !(nodes.get(at).op() instanceof Convolving convolution)
                    || !convolution.activation().isNone()) {
                continue;
            }
            float[] numbers = perChannel(convolution, draft.type(constant), (float[]) draft.constant(constant));
            Convolving folded = numbers == null ? null : folded(convolution, binary.op(), numbers, binary.clamp());
            if (folded != null) {
                nodes.set(i, new OpGraph.Node(folded, nodes.get(at).inputs(), node.output()));
                producers[node.output()] = i;
                nodes.set(at, null);
            }
        }
        draft.replace(nodes);
    }

    /** The constant as a number for each channel, or null if it is none of these. */
    private static float[] perChannel(Convolving convolution, ValueType type, float[] constant) {
        int channels = convolution.shape().outC();
        if (constant.length == 1 && type.rank() <= 4) {
            float[] all = new float[channels];
            Arrays.fill(all, constant[0]);
            return all;
        }
        int axis = ImageStorage.channelAxis(convolution.order()) - (4 - type.rank());
        return type.rank() <= 4 && axis >= 0 && constant.length == channels && type.dimension(axis) == channels
                ? constant
                : null;
    }

    private static Convolving folded(Convolving convolution, BinaryOp op, float[] numbers, Clamp clamp) {
        float[] bias = convolution.bias() == null
                ? new float[numbers.length]
                : convolution.bias().clone();
        Weights weights = convolution.weights();
        switch (op) {
            case ADD, SUB -> {
                for (int c = 0; c < bias.length; c++) {
                    bias[c] = op.apply(bias[c], numbers[c]);
                }
            }
            case MUL -> {
                if (convolution.shape().transposed()) {
                    return null;
                }
                weights = weights.scaled(numbers);
                for (int c = 0; c < bias.length; c++) {
                    bias[c] *= numbers[c];
                }
            }
            default -> {
                return null;
            }
        }
        return convolution.with(weights, bias, Activation.of(clamp));
    }
}
