package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/** {@code quantized::add}, {@code add_relu} and {@code mul}: two quint8 tensors, scale and zero point of the result. */
final class CompatQuantizedArithmeticLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering(
                "quantized::add", 4, (node, context) -> binary(node, context, OperationType.ADD, FuseCode.NONE));
        registrar.lowering(
                "quantized::add_relu", 4, (node, context) -> binary(node, context, OperationType.ADD, FuseCode.RELU));
        registrar.lowering(
                "quantized::mul", 4, (node, context) -> binary(node, context, OperationType.MUL, FuseCode.NONE));
    }

    private static void binary(Node node, CompatLoweringContext context, OperationType type, int fuse) {
        double scale = context.floatConstant(node.input(2));
        int zeroPoint = Math.toIntExact(context.intConstant(node.input(3)));
        OperandBroadcast.Pair pair = OperandBroadcast.operands(node, context);
        if (pair.left().operand().type() != OperandType.TENSOR_QUANT8_ASYMM) {
            throw new Refused(
                    "quantized arithmetic takes quint8 tensors",
                    pair.left().operand().text(),
                    "quint8",
                    "");
        }
        TensorOperand result =
                pair.left().operand().withShape(OperandBroadcast.shape(pair)).withQuantization(scale, zeroPoint);
        OperandBroadcast.emit(node, context, type, pair, result, fuse);
    }
}
