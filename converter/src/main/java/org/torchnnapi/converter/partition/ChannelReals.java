package org.torchnnapi.converter.partition;

import java.util.Arrays;
import org.torchnnapi.converter.lower.ChannelWeights;
import org.torchnnapi.converter.lower.PackedState;
import org.torchnnapi.converter.lower.Recurrences;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;

/**
 * Products of bytes whose weights have a scale a channel, which NNAPI cannot compute: products of the real numbers that
 * both stand for, and a step that quantizes them. Where a release of NNAPI has no such step, the products are for it
 * all the same, and the steps stay TorchScript.
 */
final class ChannelReals {
    private static final String QUANTIZED = "quantized::";
    /**
     * Of a convolution's configuration, which are extents, stride, padding, dilation, output padding, groups and
     * whether it is transposed.
     */
    private static final int STRIDE = 1;

    private static final int PADDING = 3;
    private static final int DILATION = 5;
    private static final int GROUPS = 9;
    private static final int TRANSPOSED = 10;

    private ChannelReals() {}

    /** @return whether any node was replaced that NNAPI cannot take as it is */
    static boolean run(NodeSupport support) {
        PartialEvaluation.Facts facts = support.facts();
        boolean changed = false;
        for (Node node : support.refused()) {
            Value made = node.owner() == null
                            || !node.kind().startsWith(QUANTIZED)
                            || node.inputs().size() != 4
                    ? null
                    : made(node, facts);
            if (made != null) {
                node.output().replaceAllUsesWith(made);
                node.destroy();
                changed = true;
            }
        }
        return changed;
    }

    private static Value made(Node node, PartialEvaluation.Facts facts) {
        TensorFacts in = facts.of(node.input(0));
        TensorFacts out = facts.of(node.output());
        Object packed =
                Literals.of(node.input(1)).map(constant -> constant.value()).orElse(null);
        if (in == null
                || out == null
                || !(packed instanceof CustomObject object)
                || in.dtype() != DType.QUINT8
                || out.dtype() != DType.QUINT8
                || !(in.quantization() instanceof Quantization.PerTensor from)
                || !(out.quantization() instanceof Quantization.PerTensor to)) {
            return null;
        }
        String type = object.type().qualifiedName();
        Object state = object.type().getState(object.payload());
        GraphCalls calls = new GraphCalls(node);
        Value product = type.endsWith(".Conv2dPackedParamsBase")
                ? convolution(calls, node.input(0), in, state, from.scale())
                : type.endsWith(".LinearPackedParamsBase") ? linear(calls, node.input(0), state, from.scale()) : null;
        if (product == null) {
            return null;
        }
        Value limited = node.kind().endsWith("_relu") ? calls.call("aten::relu", product) : product;
        return calls.call(QuantizeOperators.QUANTIZE, limited, to.scale(), to.zeroPoint(), DType.QUINT8.code());
    }

    private static Value convolution(GraphCalls calls, Value image, TensorFacts in, Object state, double scale) {
        Tensor configuration = PackedState.tensor(state, 1, 0);
        Tensor weight = PackedState.tensor(state, 1, 1);
        if (configuration == null || configuration.numel() != TRANSPOSED + 1 || !hasChannels(weight)) {
            return null;
        }
        int[] numbers = Arrays.stream(configuration.toLongArray())
                .mapToInt(Math::toIntExact)
                .toArray();
        boolean isSignal = in.rank() == 3;
        if (numbers[TRANSPOSED] != 0 || weight.rank() != 4 || !isSignal && in.rank() != 4) {
            return null;
        }
        Value real = calls.call("aten::dequantize.self", image);
        Value made = calls.call(
                "aten::conv2d",
                isSignal ? calls.call("aten::unsqueeze", real, 2) : real,
                Recurrences.real(weight),
                bias(PackedState.tensor(state, 2, 0), weight, scale),
                pair(numbers, STRIDE),
                pair(numbers, PADDING),
                pair(numbers, DILATION),
                numbers[GROUPS]);
        return isSignal ? calls.call("aten::squeeze.dim", made, 2) : made;
    }

    private static int[] pair(int[] numbers, int from) {
        return Arrays.copyOfRange(numbers, from, from + 2);
    }

    private static Value linear(GraphCalls calls, Value rows, Object state, double scale) {
        Tensor weight = PackedState.tensor(state, 0);
        if (!hasChannels(weight)) {
            return null;
        }
        return calls.call(
                "aten::linear",
                calls.call("aten::dequantize.self", rows),
                Recurrences.real(weight),
                bias(PackedState.tensor(state, 1), weight, scale));
    }

    private static boolean hasChannels(Tensor weight) {
        return weight != null && weight.quantization() instanceof Quantization.PerChannel;
    }

    private static Tensor bias(Tensor bias, Tensor weight, double scale) {
        return ChannelWeights.stepped(bias, weight, weight.size(0), scale);
    }
}
