package org.torchnnapi.converter.partition;

import org.torchnnapi.converter.lower.ChannelWeights;
import org.torchnnapi.converter.lower.Recurrences;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
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
        NodeBuilder calls = NodeBuilder.before(node);
        Value product = object.payload() instanceof ConvolutionParams convolution
                ? convolution(calls, node.input(0), in, convolution, from.scale())
                : object.payload() instanceof LinearParams linear
                        ? linear(calls, node.input(0), linear, from.scale())
                        : null;
        if (product == null) {
            return null;
        }
        Value limited = node.kind().endsWith("_relu") ? calls.tensor("aten::relu", product) : product;
        return calls.tensor(QuantizeOperators.QUANTIZE, limited, to.scale(), to.zeroPoint(), DType.QUINT8.code());
    }

    private static Value convolution(
            NodeBuilder calls, Value image, TensorFacts in, ConvolutionParams packed, double scale) {
        Tensor weight = packed.weight();
        boolean isSignal = in.rank() == 3;
        if (!hasChannels(weight) || packed.transposed() || weight.rank() != 4 || !isSignal && in.rank() != 4) {
            return null;
        }
        Value real = calls.dequantize(image);
        Value made = calls.tensor(
                "aten::conv2d",
                isSignal ? calls.unsqueeze(real, 2) : real,
                Recurrences.real(weight),
                bias(packed.bias(), weight, scale),
                packed.stride(),
                packed.padding(),
                packed.dilation(),
                packed.groups());
        return isSignal ? calls.squeeze(made, 2) : made;
    }

    private static Value linear(NodeBuilder calls, Value rows, LinearParams packed, double scale) {
        return hasChannels(packed.weight())
                ? calls.tensor(
                        "aten::linear",
                        calls.dequantize(rows),
                        Recurrences.real(packed.weight()),
                        bias(packed.bias(), packed.weight(), scale))
                : null;
    }

    private static boolean hasChannels(Tensor weight) {
        return weight.quantization() instanceof Quantization.PerChannel;
    }

    private static Tensor bias(Tensor bias, Tensor weight, double scale) {
        return ChannelWeights.stepped(bias, weight, weight.size(0), scale);
    }
}
