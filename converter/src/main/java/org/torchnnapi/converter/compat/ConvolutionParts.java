package org.torchnnapi.converter.compat;

import java.util.Arrays;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Value;

/**
 * What float and quantized convolutions have in common: the layout of the weights, the choice of operation, the result.
 * NNAPI wants weights as (out, height, width, in), depthwise ones as (1, height, width, out).
 *
 * @param window kernel, stride and padding
 * @param groups number of groups
 * @param transposed whether the weights are (in, out, height, width) and the operation TRANSPOSE_CONV_2D
 * @param fuse fused activation, see {@link FuseCode}
 */
record ConvolutionParts(SlidingWindow window, long groups, boolean transposed, int fuse) {
    private static final int[] OUT_LAST_IN = {0, 2, 3, 1};
    private static final int[] IN_FIRST = {1, 2, 3, 0};

    /**
     * Adds weights, operation and result; the bias operand has been added before.
     *
     * @param weight PyTorch's weight
     * @param scale quantization of the result, 0 for float
     */
    void emit(
            Value result,
            CompatLoweringContext context,
            CompatLoweringContext.Ref image,
            Tensor weight,
            CompatLoweringContext.Ref bias,
            double scale,
            int zeroPoint) {
        TensorOperand operand = context.featureMap(image).operand();
        int channels = operand.size(1);
        CompatPoolingLowering.requireFixedChannels(operand);
        boolean depthwise = groups != 1;
        requireGroups(operand, weight);
        requireTypes(operand, weight);
        Tensor arranged =
                weight.permute(depthwise || transposed ? IN_FIRST : OUT_LAST_IN).arranged();
        CompatLoweringContext.Ref filter = context.weight(arranged);
        int outChannels = filter.size(depthwise ? 3 : 0);
        if (depthwise ? filter.size(0) != 1 || outChannels != channels : filter.size(3) != channels) {
            throw new Refused(
                    depthwise ? "depthwise convolutions keep the number of channels" : "the weights must fit the input",
                    operand.text() + " with weights " + weight,
                    depthwise ? "as many outputs as inputs (multiplier 1)" : "equal numbers of channels",
                    depthwise ? "follow the depthwise convolution by a 1x1 convolution" : "");
        }
        if (bias.operand().rank() != 1 || bias.size(0) != outChannels) {
            throw new Refused(
                    "the bias must have one entry per output channel",
                    bias.operand().text(),
                    outChannels + " entries",
                    "");
        }
        ModelAssembler model = context.model();
        int[] geometry = window.immediates(model, false);
        int[] inputs = new int[depthwise ? 12 : 11];
        inputs[0] = image.id();
        inputs[1] = filter.id();
        inputs[2] = bias.id();
        System.arraycopy(geometry, 0, inputs, 3, geometry.length);
        int at = 9;
        if (depthwise) {
            inputs[at++] = model.int32(1);
        }
        inputs[at++] = model.int32(fuse);
        inputs[at] = model.bool(operand.layout() == OperandLayout.CONTIGUOUS);
        int out = context.define(
                result,
                operand.withQuantization(scale, zeroPoint)
                        .withShape(
                                operand.size(0),
                                outChannels,
                                resultSize(operand, SlidingWindow.HEIGHT),
                                resultSize(operand, SlidingWindow.WIDTH)));
        flexibleSizes(out, image, context);
        model.operation(
                depthwise
                        ? OperationType.DEPTHWISE_CONV_2D
                        : transposed ? OperationType.TRANSPOSE_CONV_2D : OperationType.CONV_2D,
                out,
                inputs);
    }

    private int resultSize(TensorOperand image, int axis) {
        int size = image.size(axis + 2);
        return transposed ? window.extent(size, axis) : window.count(size, axis);
    }

    private void flexibleSizes(int out, CompatLoweringContext.Ref image, CompatLoweringContext context) {
        if (!transposed) {
            CompatPoolingLowering.flexibleSizes(out, image, window, context);
            return;
        }
        if (image.size(0) == TensorOperand.AT_LOAD) {
            context.shapes().forward(out, 0, image.id(), 0);
        }
        for (int axis = 0; axis < 2; axis++) {
            if (image.size(axis + 2) == TensorOperand.AT_LOAD) {
                context.shapes().assign(out, axis + 2, window.extentExpression(image.id(), axis));
            }
        }
    }

    private void requireGroups(TensorOperand image, Tensor weight) {
        if (groups == 1) {
            return;
        }
        if (transposed) {
            throw new Refused("transposed convolutions have one group", "groups " + groups, "1", "use one group");
        }
        if (groups != image.size(1)) {
            throw new Refused(
                    "convolutions have one group, or one per channel",
                    "groups " + groups + " of " + image.size(1) + " channels",
                    "1 or " + image.size(1),
                    "replace the grouped convolution by an ordinary or a depthwise one");
        }
    }

    private static void requireTypes(TensorOperand image, Tensor weight) {
        boolean fits = switch (weight.dtype()) {
            case FLOAT32 -> image.type() == OperandType.TENSOR_FLOAT32;
            case QUINT8 -> image.type() == OperandType.TENSOR_QUANT8_ASYMM;
            default -> false;
        };
        if (!fits) {
            throw new Refused(
                    "input and weights must be of one kind",
                    image.text() + " with weights " + weight,
                    "float32 both, or quint8 both",
                    "");
        }
    }

    /** Kernel size of PyTorch's 4-D weights. */
    static int[] kernel(Tensor weight) {
        if (weight == null || weight.rank() != 4) {
            throw new Refused(
                    "NNAPI convolves in two dimensions",
                    "weights " + weight,
                    "4-D weights",
                    "express 1-D convolutions as 2-D ones with a height of 1");
        }
        return Arrays.copyOfRange(weight.sizes(), 2, 4);
    }
}
