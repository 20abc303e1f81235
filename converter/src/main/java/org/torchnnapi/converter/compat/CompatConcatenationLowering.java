package org.torchnnapi.converter.compat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.converter.shape.SizeExpression;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** {@code aten::cat}, and {@code quantized::cat}, whose result has a scale of its own. */
final class CompatConcatenationLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::cat", 2, (node, context) -> concatenate(node, context, operand -> operand));
        registrar.lowering("quantized::cat", 4, (node, context) -> {
            double scale = context.floatConstant(node.input(2));
            int zeroPoint = Math.toIntExact(context.intConstant(node.input(3)));
            concatenate(node, context, operand -> operand.withQuantization(scale, zeroPoint));
        });
    }

    /** @param result what the joined operand is, given the first one with the sizes of all */
    private static void concatenate(Node node, CompatLoweringContext context, UnaryOperator<TensorOperand> result) {
        List<Value> items = context.sequence(node.input(0));
        if (items == null || items.isEmpty()) {
            throw new Refused(
                    "the tensors to join must be listed", context.describe(node.input(0)), "a list of tensors", "");
        }
        List<CompatLoweringContext.Ref> parts = new ArrayList<>();
        for (Value item : items) {
            parts.add(context.operand(item));
        }
        TensorOperand first = parts.get(0).operand();
        int dimension = CompatReshapeLowering.dimension(context.intConstant(node.input(1)), first.rank());
        int[] shape = first.shape();
        shape[dimension] = joinedSize(parts, dimension);
        if (shape[dimension] > 0) {
            requireEmpty(parts, dimension, context);
        }
        for (CompatLoweringContext.Ref part : parts) {
            requireAlike(part.operand(), first, dimension);
        }
        int out = context.define(node.output(), result.apply(first.withShape(shape)));
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
        inputs[parts.size()] = context.model().int32(first.layout().toNnapi(dimension));
        context.model().operation(OperationType.CONCATENATION, out, inputs);
    }

    /** The sum of the sizes; open at run if one is, and open at load if all are. */
    private static int joinedSize(List<CompatLoweringContext.Ref> parts, int dimension) {
        int sum = 0;
        for (CompatLoweringContext.Ref part : parts) {
            if (dimension >= part.operand().rank()) {
                throw mismatch(part.operand(), parts.get(0).operand());
            }
            if (part.size(dimension) == TensorOperand.AT_RUN) {
                return TensorOperand.AT_RUN;
            }
            sum = Math.addExact(sum, part.size(dimension));
        }
        return sum;
    }

    /**
     * Beside parts of fixed size an open one counts as empty, as with PyTorch's converter, for which an empty example
     * means both; the converted model then checks that it is.
     */
    private static void requireEmpty(
            List<CompatLoweringContext.Ref> parts, int dimension, CompatLoweringContext context) {
        for (CompatLoweringContext.Ref part : parts) {
            if (part.size(dimension) == TensorOperand.AT_LOAD) {
                context.shapes().requireEqual(part.id(), dimension, new SizeExpression.Number(0));
            }
        }
    }

    private static List<SizeExpression> sizes(List<CompatLoweringContext.Ref> parts, int dimension) {
        List<SizeExpression> sizes = new ArrayList<>();
        for (CompatLoweringContext.Ref part : parts) {
            sizes.add(new SizeExpression.OperandSize(part.id(), dimension));
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
        return new Refused(
                "joined tensors must agree in dtype, memory format and the other sizes",
                part.text() + " beside " + first.text(),
                "like the first tensor",
                "mark all inputs as NHWC, or none");
    }
}
