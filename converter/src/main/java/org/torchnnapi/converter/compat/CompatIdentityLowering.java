package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * {@code aten::detach} and {@code aten::to}. A conversion to the dtype that the tensor has already, or to a device,
 * costs nothing; one between float32 and int32 becomes CAST.
 */
final class CompatIdentityLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering(
                "aten::detach",
                1,
                (node, context) -> context.bind(
                        node.output(), context.operand(node.input(0)).id()));
        registrar.lowering("aten::to", 1, CompatIdentityLowering::to);
    }

    private static void to(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.operand(node.input(0));
        OperandType target = target(node, context, in.operand());
        if (target == in.operand().type()) {
            context.bind(node.output(), in.id());
            return;
        }
        int out = context.define(node.output(), in.operand().withType(target, 0, 0));
        context.forwardSizes(out, in);
        context.model().operation(OperationType.CAST, out, in.id());
    }

    private static OperandType target(Node node, CompatLoweringContext context, TensorOperand from) {
        DType dtype = null;
        for (int i = 1; i < node.inputs().size(); i++) {
            Value argument = node.input(i);
            if (argument.type() == Type.Basic.TENSOR) {
                if (context.isConstant(argument)) {
                    dtype = ((Tensor) context.constant(argument)).dtype();
                    break;
                }
                return checked(context.operand(argument).operand().type(), from);
            }
            if (isDtype(node, i) && !context.isNone(argument)) {
                dtype = DType.ofCode(context.intConstant(argument));
                break;
            }
        }
        if (dtype == null
                || from.type() == OperandType.TENSOR_QUANT8_ASYMM && dtype == DType.QUINT8
                || from.type() != OperandType.TENSOR_QUANT8_ASYMM && from.isQuantized() && dtype == DType.INT16) {
            return from.type();
        }
        return switch (dtype) {
            case FLOAT32 -> checked(OperandType.TENSOR_FLOAT32, from);
            case INT32 -> checked(OperandType.TENSOR_INT32, from);
            default -> throw refusal(from, dtype.torchName());
        };
    }

    /** With a schema the argument is named; without one it is the first int, or the one after the device. */
    private static boolean isDtype(Node node, int index) {
        if (node.schema() != null && index < node.schema().arguments().size()) {
            return node.schema().arguments().get(index).name().equals("dtype");
        }
        return index == 1 && node.input(1).type() == Type.Basic.INT
                || index == 2 && node.input(1).type() == Type.Basic.DEVICE;
    }

    private static OperandType checked(OperandType target, TensorOperand from) {
        boolean castable = target == OperandType.TENSOR_FLOAT32 || target == OperandType.TENSOR_INT32;
        if (target != from.type() && (!castable || from.isQuantized())) {
            throw refusal(from, target.name());
        }
        return target;
    }

    private static Refused refusal(TensorOperand from, String to) {
        return new Refused(
                "NNAPI's CAST converts between float32 and int32 here",
                "a cast from " + from.text() + " to " + to,
                "float32 or int32 on both sides",
                "keep the model in float32, or cast outside the model");
    }
}
