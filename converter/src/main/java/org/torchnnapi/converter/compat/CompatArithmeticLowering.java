package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::add}, {@code sub}, {@code mul} and {@code div} of two tensors. */
final class CompatArithmeticLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::add", 2, (node, context) -> scaled(node, context, OperationType.ADD));
        registrar.lowering("aten::sub", 2, (node, context) -> scaled(node, context, OperationType.SUB));
        registrar.lowering("aten::mul", 2, (node, context) -> binary(node, context, OperationType.MUL));
        registrar.lowering("aten::div", 2, CompatArithmeticLowering::divide);
    }

    private static void scaled(Node node, CompatLoweringContext context, OperationType type) {
        if (node.inputs().size() > 2 && context.numberConstant(node.input(2)) != 1) {
            throw new Refused(
                    "NNAPI adds without a factor",
                    "alpha " + context.describe(node.input(2)),
                    "alpha 1",
                    "multiply the second operand first");
        }
        binary(node, context, type);
    }

    private static void divide(Node node, CompatLoweringContext context) {
        if (node.inputs().size() != 2) {
            throw new Refused("NNAPI divides without rounding", "a rounding mode", "div(a, b)", "");
        }
        if (context.isOperand(node.input(0))
                && context.operand(node.input(0)).operand().type() == OperandType.TENSOR_INT32) {
            throw new Refused(
                    "a division of integers has a real result in PyTorch and an integer one in NNAPI",
                    context.describe(node.input(0)),
                    "float32",
                    "convert the operands to float first");
        }
        binary(node, context, OperationType.DIV);
    }

    private static void binary(Node node, CompatLoweringContext context, OperationType type) {
        OperandBroadcast.Pair pair = OperandBroadcast.operands(node, context);
        OperandBroadcast.emit(
                node,
                context,
                type,
                pair,
                pair.left().operand().withShape(OperandBroadcast.shape(pair)),
                FuseCode.NONE);
    }
}
