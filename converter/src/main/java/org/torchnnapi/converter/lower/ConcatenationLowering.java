package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.shape.SizeExpression;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** {@code aten::cat}. */
final class ConcatenationLowering implements LoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::cat", ConcatenationLowering::concatenate);
    }

    private static void concatenate(Node node, LoweringContext context) {
        List<Value> items = context.sequence(node.input(0));
        if (items == null || items.isEmpty()) {
            throw new Refused("the tensors to join must be listed", context.describe(node.input(0)), "a list of tensors", "");
        }
        List<LoweringContext.Ref> parts = new ArrayList<>();
        for (Value item : items) {
            parts.add(context.operand(item));
        }
        TensorOperand first = parts.get(0).operand();
        long given = context.intConstant(node.input(1));
        int dimension = ReshapeLowering.dimension(given, first.rank());
        int[] shape = first.shape();
        shape[dimension] = joinedSize(parts, dimension);
        for (LoweringContext.Ref part : parts) {
            requireAlike(part.operand(), first, dimension);
        }
        // PyTorch's converter passes a negative dimension of a contiguous tensor on as it is.
        int axis = first.layout() == OperandLayout.CHANNELS_LAST ? first.layout().toNnapi(dimension) : (int) given;
        int out = context.define(node.output(), first.withShape(shape));
        for (int d = 0; d < shape.length; d++) {
            if (shape[d] == TensorOperand.AT_LOAD) {
                if (d == dimension) {
                    context.shapes().assign(out, d, new SizeExpression.Sum(sizes(parts, d)));
                } else {
                    context.shapes().forward(out, d, parts.get(0).id(), d);
                }
            }
        }
        int[] inputs = new int[parts.size() + 1];
        for (int i = 0; i < parts.size(); i++) {
            inputs[i] = parts.get(i).id();
        }
        inputs[parts.size()] = context.model().int32(axis);
        context.model().operation(OperationType.CONCATENATION, out, inputs);
    }

    private static int joinedSize(List<LoweringContext.Ref> parts, int dimension) {
        int sum = 0;
        boolean atLoad = false;
        for (LoweringContext.Ref part : parts) {
            if (dimension >= part.operand().rank()) {
                throw mismatch(part.operand(), parts.get(0).operand());
            }
            int size = part.size(dimension);
            if (size == TensorOperand.AT_RUN) {
                return TensorOperand.AT_RUN;
            }
            atLoad |= size == TensorOperand.AT_LOAD;
            sum = Math.addExact(sum, size);
        }
        return atLoad ? TensorOperand.AT_LOAD : sum;
    }

    private static List<SizeExpression> sizes(List<LoweringContext.Ref> parts, int dimension) {
        List<SizeExpression> sizes = new ArrayList<>();
        for (LoweringContext.Ref part : parts) {
            sizes.add(part.operand().isFixed(dimension) ? new SizeExpression.Number(part.size(dimension))
                : new SizeExpression.OperandSize(part.id(), dimension));
        }
        return sizes;
    }

    private static void requireAlike(TensorOperand part, TensorOperand first, int dimension) {
        if (part.type() != first.type() || part.layout() != first.layout() || part.rank() != first.rank()) {
            throw mismatch(part, first);
        }
        for (int d = 0; d < first.rank(); d++) {
            if (d != dimension && part.size(d) != first.size(d)) {
                throw mismatch(part, first);
            }
        }
    }

    private static Refused mismatch(TensorOperand part, TensorOperand first) {
        return new Refused("joined tensors must agree in dtype, memory format and the other sizes",
            part.text() + " beside " + first.text(), "like the first tensor", "mark all inputs as NHWC, or none");
    }
}
