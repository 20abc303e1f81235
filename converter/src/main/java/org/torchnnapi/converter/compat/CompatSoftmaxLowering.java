package org.torchnnapi.converter.compat;

import java.util.Set;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::softmax} and {@code aten::log_softmax} along one dimension. */
final class CompatSoftmaxLowering implements CompatLoweringFamily {
    private static final float BETA = 1;
    /** NNAPI has no float64; asking for it gets the float32 result, as from PyTorch's converter. */
    private static final Set<DType> REAL = Set.of(DType.FLOAT32, DType.FLOAT64);

    @Override
    public void register(Registrar registrar) {
        registrar.lowering(
                "aten::softmax",
                3,
                (node, context) -> lower(node, context, context.operand(node.input(0)), OperationType.SOFTMAX));
        registrar.lowering(
                "aten::log_softmax",
                3,
                (node, context) ->
                        lower(node, context, context.fixedOperand(node.input(0)), OperationType.LOG_SOFTMAX));
    }

    private static void lower(
            Node node, CompatLoweringContext context, CompatLoweringContext.Ref in, OperationType type) {
        TensorOperand operand = in.operand();
        long given = context.intConstant(node.input(1));
        Long dtype = context.optionalIntConstant(node.input(2));
        if (dtype != null && !REAL.contains(DType.ofCode(dtype))) {
            throw new Refused(
                    "softmax computes in float32",
                    "dtype " + DType.ofCode(dtype).torchName(),
                    "float32 or float64",
                    "cast outside the model");
        }
        if (operand.type() != OperandType.TENSOR_FLOAT32) {
            throw new Refused("softmax takes real numbers", operand.text(), "float32", "dequantize first");
        }
        int dimension = CompatReshapeLowering.dimension(given, operand.rank());
        int axis = operand.layout() == OperandLayout.CHANNELS_LAST
                ? operand.layout().toNnapi(dimension)
                : (int) given;
        ModelAssembler model = context.model();
        // PyTorch's order of operands: SOFTMAX's result comes before its arguments, LOG_SOFTMAX's after them.
        if (type == OperationType.SOFTMAX) {
            int out = context.define(node.output(), operand);
            context.forwardSizes(out, in);
            model.operation(type, out, in.id(), model.float32(BETA), model.int32(axis));
        } else {
            context.emit(node.output(), type, operand, in.id(), model.float32(BETA), model.int32(axis));
        }
    }
}
