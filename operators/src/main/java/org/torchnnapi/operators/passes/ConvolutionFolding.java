package org.torchnnapi.operators.passes;

import java.util.Arrays;
import java.util.Optional;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Folds what follows a convolution channel by channel into its weight and bias: batch normalisation in evaluation mode,
 * and addition, subtraction, multiplication or division by a constant (a number, or a tensor of one value or of one
 * value per channel). Only where nothing else reads the convolution's elements, and not for transposed ones. Arithmetic
 * is float32 in the order PyTorch's own folding has, so that results are equal.
 */
public final class ConvolutionFolding {
    private ConvolutionFolding() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return EachNode.over(graph, node -> switch (node.kind()) {
            case "aten::batch_norm" -> foldNormalisation(node);
            case "aten::add", "aten::sub", "aten::mul", "aten::div" -> foldArithmetic(node);
            default -> false;
        });
    }

    /** A convolution with known float32 parameters. */
    private record Convolution(Node node, Tensor weight, Tensor bias, int channels) {
        static Optional<Convolution> of(Value value) {
            Node node = value.definition();
            if (node == null || value.elementUses().size() != 1 || !isForward(node)) {
                return Optional.empty();
            }
            var weight = Literals.of(node.input(1));
            var bias = Literals.of(node.input(2));
            if (!weight.isPresent()
                    || !bias.isPresent()
                    || !(weight.get().value() instanceof Tensor w)
                    || w.dtype() != DType.FLOAT32
                    || w.rank() < 1) {
                return Optional.empty();
            }
            Tensor b = (Tensor) bias.get().value();
            if (b != null && b.dtype() != DType.FLOAT32) {
                return Optional.empty();
            }
            return Optional.of(new Convolution(node, w, b, w.size(0)));
        }

        private static boolean isForward(Node node) {
            if (node.is("aten::conv2d") || node.is("aten::conv1d") || node.is("aten::conv3d")) {
                return true;
            }
            return (node.is("aten::_convolution") || node.is("aten::convolution"))
                    && Literals.of(node.input(6))
                            .filter(transposed -> Boolean.FALSE.equals(transposed.value()))
                            .isPresent();
        }

        /** Bias per channel, zeros if there is none. */
        float[] biasValues() {
            return bias == null ? new float[channels] : bias.toFloatArray().clone();
        }

        /** The weight with each output channel multiplied; strides of channels_last weights are kept. */
        Tensor scaledWeight(float[] factors) {
            if (weight.isContiguous()) {
                return channelwise(weight, channels, (value, channel) -> value * factors[channel]);
            }
            boolean last =
                    weight.rank() == 4 && !weight.isContiguous() && weight.isContiguous(MemoryFormat.CHANNELS_LAST);
            float[] values = weight.toFloatArray().clone();
            int perChannel = values.length / Math.max(channels, 1);
            for (int i = 0; i < values.length; i++) {
                values[i] *= factors[i / perChannel];
            }
            Tensor scaled = Tensor.of(values, weight.sizes());
            return last ? scaled.copy(MemoryFormat.CHANNELS_LAST) : scaled;
        }
    }

    private static boolean foldNormalisation(Node norm) {
        Optional<Convolution> found = Convolution.of(norm.input(0));
        Optional<FoldedBatchNorm> known = found.flatMap(conv -> FoldedBatchNorm.of(norm, conv.channels()));
        if (!known.isPresent()) {
            return false;
        }
        Convolution conv = found.get();
        float[] bias = conv.biasValues();
        known.get().fold(bias);
        replace(conv, conv.scaledWeight(known.get().factors()), bias, norm);
        return true;
    }

    private static boolean foldArithmetic(Node node) {
        Optional<Convolution> found = Convolution.of(node.input(0));
        if (!found.isPresent() || node.input(1) == node.input(0)) {
            return false;
        }
        Convolution conv = found.get();
        var literal = Literals.of(node.input(1));
        if (!literal.isPresent() || node.is("aten::div") && node.inputs().size() > 2) {
            return false;
        }
        Optional<float[]> operand = operand(literal.get().value(), conv);
        float alpha = 1;
        if (node.is("aten::add") || node.is("aten::sub")) {
            var factor = node.inputs().size() > 2 ? Literals.of(node.input(2)) : Optional.of(new Literals.Literal(1L));
            if (!factor.isPresent() || !(factor.get().value() instanceof Number number)) {
                return false;
            }
            alpha = number.floatValue();
        }
        if (!operand.isPresent()) {
            return false;
        }
        float[] bias = conv.biasValues();
        float[] values = operand.get();
        float[] factors = new float[values.length];
        Arrays.fill(factors, 1);
        for (int c = 0; c < bias.length; c++) {
            switch (node.kind()) {
                case "aten::add" -> bias[c] += alpha * values[c];
                case "aten::sub" -> bias[c] -= alpha * values[c];
                case "aten::mul" -> {
                    bias[c] *= values[c];
                    factors[c] = values[c];
                }
                default -> bias[c] /= values[c];
            }
        }
        Tensor weight = switch (node.kind()) {
            case "aten::mul" -> conv.scaledWeight(factors);
            case "aten::div" -> divide(conv, values);
            default -> conv.weight();
        };
        replace(conv, weight, bias, node);
        return true;
    }

    private static Tensor divide(Convolution conv, float[] divisors) {
        return channelwise(conv.weight().contiguous(), conv.channels(), (value, channel) -> value / divisors[channel]);
    }

    /** What becomes of a weight for its output channel. */
    private interface Rule {
        float of(float value, int channel);
    }

    /** A dense weight with a rule applied to each element, whenever its elements are asked for. */
    private static Tensor channelwise(Tensor weight, int channels, Rule rule) {
        int count = Math.toIntExact(weight.numel());
        int perChannel = count / Math.max(channels, 1);
        return new Tensor(
                Storage.elementwise(
                        weight.storage(),
                        weight.offset(),
                        count,
                        (value, element) -> rule.of(value, element / perChannel)),
                0,
                weight.sizes(),
                weight.strides(),
                null);
    }

    /** The operand as one value per output channel, or empty if it varies along another dimension. */
    private static Optional<float[]> operand(Object value, Convolution conv) {
        float[] values = new float[conv.channels()];
        if (value instanceof Number number) {
            Arrays.fill(values, (float) number.doubleValue());
            return Optional.of(values);
        }
        if (!(value instanceof Tensor tensor)) {
            return Optional.empty();
        }
        boolean isNumber = tensor.rank() == 0
                && !tensor.dtype().isComplex()
                && !tensor.dtype().isQuantized();
        if (isNumber
                || tensor.dtype() == DType.FLOAT32
                        && tensor.numel() == 1
                        && tensor.rank() <= conv.weight().rank()) {
            Arrays.fill(values, (float) tensor.getDouble(0));
            return Optional.of(values);
        }
        // PyTorch folds only what has the rank of the convolution's result; models it refuses for that stay refused.
        if (tensor.dtype() != DType.FLOAT32
                || tensor.rank() != conv.weight().rank()
                || tensor.numel() != conv.channels()
                || tensor.sizes()[1] != conv.channels()) {
            return Optional.empty();
        }
        return Optional.of(tensor.toFloatArray().clone());
    }

    private static void replace(Convolution conv, Tensor weight, float[] bias, Node absorbed) {
        Node node = conv.node();
        NodeBuilder before = NodeBuilder.before(node);
        node.setInput(1, before.constant(weight));
        node.setInput(2, before.constant(Tensor.of(bias, conv.channels())));
        // Checks of the convolution's sizes stay between: they hold for the one with what is folded in as they did
        // before.
        absorbed.output().replaceAllUsesWith(node.output());
        node.output().name(absorbed.output().name());
        absorbed.destroy();
    }
}
