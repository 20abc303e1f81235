package org.torchnnapi.converter.lower;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::softmax} and {@code aten::log_softmax} along one dimension. */
final class SoftmaxLowering implements LoweringFamily {
    private static final float BETA = 1;

    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::softmax", (node, context) ->
            lower(node, context, context.operand(node.input(0)), OperationType.SOFTMAX));
        registrar.lowering("aten::log_softmax", (node, context) ->
            lower(node, context, context.fixedOperand(node.input(0)), OperationType.LOG_SOFTMAX));
    }

    private static void lower(Node node, LoweringContext context, LoweringContext.Ref in, OperationType type) {
        TensorOperand operand = in.operand();
        long given = context.intConstant(node.input(1));
        if (!context.isNone(node.input(2))) {
            throw new Refused("softmax keeps the dtype", "dtype " + context.describe(node.input(2)), "None", "cast outside the model");
        }
        if (operand.type() != OperandType.TENSOR_FLOAT32) {
            throw new Refused("softmax takes real numbers", operand.text(), "float32", "dequantize first");
        }
        int dimension = ReshapeLowering.dimension(given, operand.rank());
        int axis = operand.layout() == OperandLayout.CHANNELS_LAST ? operand.layout().toNnapi(dimension) : (int) given;
        ModelAssembler model = context.model();
        // SOFTMAX names its result before its arguments in PyTorch's order of operands, LOG_SOFTMAX after them.
        if (type == OperationType.SOFTMAX) {
            int out = context.define(node.output(), operand);
            context.forwardSizes(out, in);
            model.operation(type, out, in.id(), model.float32(BETA), model.int32(axis));
        } else {
            context.emit(node.output(), type, operand, in.id(), model.float32(BETA), model.int32(axis));
        }
    }
}
