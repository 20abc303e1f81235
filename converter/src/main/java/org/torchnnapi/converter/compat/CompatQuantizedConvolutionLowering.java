package org.torchnnapi.converter.compat;

import java.util.Arrays;
import org.torchnnapi.converter.lower.PackedState;
import org.torchnnapi.converter.lower.QuantizedParameters;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** {@code quantized::conv2d}, {@code conv2d_relu} and {@code conv_transpose2d} with packed parameters. */
final class CompatQuantizedConvolutionLowering implements CompatLoweringFamily {
    /**
     * Entries of the packed configuration: dimensions, stride, padding, dilation, output padding (two each), groups,
     * flags.
     */
    private static final int CONFIGURATION = 11;

    @Override
    public void register(Registrar registrar) {
        registrar.lowering("quantized::conv2d", 4, (node, context) -> lower(node, context, FuseCode.NONE, false));
        registrar.lowering("quantized::conv2d_relu", 4, (node, context) -> lower(node, context, FuseCode.RELU, false));
        registrar.lowering(
                "quantized::conv_transpose2d", 4, (node, context) -> lower(node, context, FuseCode.NONE, true));
    }

    private static void lower(Node node, CompatLoweringContext context, int fuse, boolean transposed) {
        double scale = context.floatConstant(node.input(2));
        int zeroPoint = Math.toIntExact(context.intConstant(node.input(3)));
        Object state = context.packedState(node.input(1), "Conv2dPackedParamsBase");
        Tensor configuration = PackedState.tensor(state, 1, 0);
        Tensor raw = PackedState.tensor(state, 1, 1);
        Tensor rawBias = PackedState.tensor(state, 2, 0);
        if (configuration == null || configuration.numel() != CONFIGURATION || rawBias == null) {
            throw new Refused(
                    "packed parameters must be complete",
                    "configuration " + configuration + ", bias " + rawBias,
                    CONFIGURATION + " numbers and a bias",
                    "");
        }
        int[] numbers = Arrays.stream(configuration.toLongArray())
                .mapToInt(Math::toIntExact)
                .toArray();
        SlidingWindow.requireNoDilation(Arrays.copyOfRange(numbers, 5, 7));
        if (numbers[7] != 0 || numbers[8] != 0) {
            throw new Refused(
                    "quantized transposed convolutions have no output padding",
                    "output_padding " + Arrays.toString(Arrays.copyOfRange(numbers, 7, 9)),
                    "0",
                    "pad the result instead");
        }
        SlidingWindow window = SlidingWindow.of(
                ConvolutionParts.kernel(raw), Arrays.copyOfRange(numbers, 1, 3), Arrays.copyOfRange(numbers, 3, 5));
        Tensor weight = QuantizedParameters.unsigned(raw);
        CompatLoweringContext.Ref image = context.operand(node.input(0));
        if (image.operand().type() != OperandType.TENSOR_QUANT8_ASYMM) {
            throw new Refused(
                    "quantized convolutions take quint8 tensors",
                    image.operand().text(),
                    "quint8",
                    "quantize the input");
        }
        double weightScale = QuantizedParameters.scale(weight);
        QuantizedParameters.requireMultiplier(image.operand().scale(), weightScale, scale);
        CompatLoweringContext.Ref bias =
                context.weight(QuantizedParameters.bias(rawBias, image.operand().scale() * weightScale));
        new ConvolutionParts(window, numbers[9], transposed, fuse)
                .emit(node.output(), context, image, weight, bias, scale, zeroPoint);
    }
}
