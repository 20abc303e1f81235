package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** Activations that work on each element: {@code relu}, {@code sigmoid}, {@code hardtanh}, {@code prelu}. */
final class CompatActivationLowering implements CompatLoweringFamily {
    /** NNAPI fixes the quantization of LOGISTIC's result: scale 1/256, zero point 0. */
    private static final double LOGISTIC_SCALE = 1.0 / 256;

    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::relu", 1, (node, context) -> unary(node, context, OperationType.RELU));
        registrar.lowering("aten::sigmoid", 1, (node, context) -> unary(node, context, OperationType.LOGISTIC));
        registrar.lowering("aten::hardtanh", 3, CompatActivationLowering::hardtanh);
        registrar.lowering("aten::prelu", 2, CompatActivationLowering::prelu);
    }

    private static void unary(Node node, CompatLoweringContext context, OperationType type) {
        CompatLoweringContext.Ref in = context.operand(node.input(0));
        requireReal(in.operand());
        TensorOperand result = in.operand();
        if (type == OperationType.LOGISTIC && result.type() == OperandType.TENSOR_QUANT8_ASYMM) {
            result = result.withQuantization(LOGISTIC_SCALE, 0);
        }
        int out = context.define(node.output(), result);
        context.forwardSizes(out, in);
        context.model().operation(type, out, in.id());
    }

    private static void hardtanh(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        requireReal(in.operand());
        double low = context.numberConstant(node.input(1));
        double high = context.numberConstant(node.input(2));
        OperationType type;
        if (low == -1 && high == 1) {
            type = OperationType.RELU1;
        } else if (low == 0 && high == 6) {
            type = OperationType.RELU6;
        } else {
            throw new Refused(
                    "NNAPI clamps to two ranges only",
                    "hardtanh(" + low + ", " + high + ")",
                    "bounds (-1, 1) or (0, 6)",
                    "use ReLU6 or Hardtanh with its default bounds");
        }
        context.emit(node.output(), type, in.operand(), in.id());
    }

    private static void prelu(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.operand(node.input(0));
        if (in.operand().type() != OperandType.TENSOR_FLOAT32) {
            throw new Refused(
                    "PRELU's input and weight must have one type", in.operand().text(), "float32", "");
        }
        Tensor slope = context.tensorConstant(node.input(1));
        if (slope.rank() != 1 || slope.numel() < 1) {
            throw new Refused("PReLU's weight is one slope or one per channel", slope.toString(), "a 1-D tensor", "");
        }
        if (slope.numel() > 1 && in.operand().layout() != OperandLayout.CHANNELS_LAST) {
            throw new Refused(
                    "PReLU with a slope per channel needs channels last",
                    in.operand().text(),
                    "an NHWC operand",
                    "mark the input as NHWC");
        }
        CompatLoweringContext.Ref weight = context.weight(slope);
        for (int d = 0; d < Math.min(2, in.operand().rank()); d++) {
            if (!in.operand().isFixed(d)) {
                throw new Refused(
                        "PReLU needs fixed sizes in its first two dimensions",
                        in.operand().text(),
                        "a fixed dimension " + d,
                        "give the input a fixed batch size");
            }
        }
        int out = context.define(node.output(), in.operand());
        context.forwardSizes(out, in);
        context.model().operation(OperationType.PRELU, out, in.id(), weight.id());
    }

    /** PyTorch clamps integers too; NNAPI's activations take real numbers, plain or quantized. */
    static void requireReal(TensorOperand operand) {
        if (operand.type() == OperandType.TENSOR_INT32) {
            throw new Refused(
                    "NNAPI's activations take real numbers",
                    operand.text(),
                    "float32 or a quantized type",
                    "convert the tensor to float first");
        }
    }
}
