package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.converter.shape.SizeExpression;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Element-wise operations of two operands whose shapes may differ where one of them is 1. */
final class OperandBroadcast {
    private OperandBroadcast() {}

    /** Both operands, brought to one layout. */
    record Pair(CompatLoweringContext.Ref left, CompatLoweringContext.Ref right) {}

    /** Reads inputs 0 and 1; one of them may be a constant tensor. */
    static Pair operands(Node node, CompatLoweringContext context) {
        Value left = node.input(0);
        Value right = node.input(1);
        for (Value value : new Value[] {left, right}) {
            if (context.isUnknown(value)) {
                throw new UnknownOperand();
            }
            boolean scalar = value.type() != Type.Basic.TENSOR
                    || context.isConstant(value) && !(context.constant(value) instanceof Tensor);
            if (scalar) {
                throw new Refused(
                        "both operands must be tensors",
                        context.describe(value),
                        "a tensor of the same rank",
                        "multiply or add a constant tensor of shape (1, .., 1) instead of a number");
            }
        }
        Pair pair;
        if (context.isOperand(left)) {
            CompatLoweringContext.Ref first = context.operand(left);
            pair = new Pair(
                    first, context.operandOrConstant(right, first.operand().layout()));
        } else if (context.isOperand(right)) {
            CompatLoweringContext.Ref second = context.operand(right);
            pair = new Pair(context.operandOrConstant(left, second.operand().layout()), second);
        } else {
            throw new Refused(
                    "one operand must be computed from the inputs", "two constants", "at most one constant", "");
        }
        TensorOperand a = pair.left().operand();
        TensorOperand b = pair.right().operand();
        if (a.type() != b.type()) {
            throw new Refused(
                    "both operands must have one dtype",
                    a.text() + " and " + b.text(),
                    "equal dtypes",
                    "convert one of them first");
        }
        return sameLayout(pair, context);
    }

    private static Pair sameLayout(Pair pair, CompatLoweringContext context) {
        OperandLayout left = pair.left().operand().layout();
        OperandLayout right = pair.right().operand().layout();
        if (left == right) {
            return pair;
        }
        return left == OperandLayout.CHANNELS_LAST
                ? new Pair(pair.left(), toChannelsLast(pair.right(), context))
                : new Pair(toChannelsLast(pair.left(), context), pair.right());
    }

    private static CompatLoweringContext.Ref toChannelsLast(
            CompatLoweringContext.Ref ref, CompatLoweringContext context) {
        TensorOperand operand = ref.operand();
        if (operand.rank() != 4 || operand.size(2) != 1 || operand.size(3) != 1) {
            throw new Refused(
                    "an NCHW tensor beside an NHWC one must have one pixel",
                    operand.text(),
                    "H=W=1",
                    "mark both inputs as NHWC, or neither");
        }
        TensorOperand turned = operand.withLayout(OperandLayout.CHANNELS_LAST);
        int order = context.model().vector(0, 2, 3, 1);
        int id = context.model().add(turned);
        context.model().operation(OperationType.TRANSPOSE, id, ref.id(), order);
        context.forwardSizes(id, ref);
        return new CompatLoweringContext.Ref(id, turned);
    }

    /** Shape of the result. */
    static int[] shape(Pair pair) {
        TensorOperand a = pair.left().operand();
        TensorOperand b = pair.right().operand();
        if (a.rank() != b.rank() || a.rank() == 0) {
            throw new Refused(
                    "both operands must have one rank",
                    a.text() + " and " + b.text(),
                    "equal ranks above 0",
                    "add dimensions of size 1, for example with unsqueeze");
        }
        int[] out = new int[a.rank()];
        for (int d = 0; d < out.length; d++) {
            if (a.size(d) != b.size(d) && a.size(d) != 1 && b.size(d) != 1) {
                throw new Refused(
                        "sizes must be equal, or one of them 1",
                        a.text() + " and " + b.text(),
                        "a match in dimension " + d,
                        "");
            }
            out[d] = a.size(d) == 1 ? b.size(d) : a.size(d);
        }
        return out;
    }

    /** Adds the operation with no fused activation, or with {@code fuse}. */
    static void emit(
            Node node, CompatLoweringContext context, OperationType type, Pair pair, TensorOperand result, int fuse) {
        int out = context.define(node.output(), result);
        CompatLoweringContext.Ref a = pair.left();
        CompatLoweringContext.Ref b = pair.right();
        for (int d = 0; d < result.rank(); d++) {
            boolean left = a.size(d) == TensorOperand.AT_LOAD;
            boolean right = b.size(d) == TensorOperand.AT_LOAD;
            if (left && right) {
                context.shapes().requireEqual(a.id(), d, new SizeExpression.OperandSize(b.id(), d));
            }
            if (left || right) {
                context.shapes().forward(out, d, left ? a.id() : b.id(), d);
            }
        }
        context.model().operation(type, out, a.id(), b.id(), context.model().int32(fuse));
    }
}
