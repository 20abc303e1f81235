package org.torchnnapi.converter.compat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Operators that change the shape and keep the elements: {@code reshape}, {@code flatten}, {@code unsqueeze}; and
 * {@code size}.
 */
final class CompatReshapeLowering implements CompatLoweringFamily {
    private static final String NHWC_ADVICE =
            "reduce the feature map to 1x1 first (for example with AdaptiveAvgPool2d(1)), "
                    + "or give the input in NCHW";

    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::reshape", 2, CompatReshapeLowering::reshape);
        registrar.lowering("aten::flatten", 3, CompatReshapeLowering::flatten);
        registrar.lowering("aten::unsqueeze", 2, CompatReshapeLowering::unsqueeze);
        registrar.lowering("aten::size", 1, CompatReshapeLowering::size);
    }

    private static void reshape(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        if (!in.operand().isFixed()) {
            throw new Refused(
                    "reshape needs fixed sizes", in.operand().text(), "no flexible size", "use flatten instead");
        }
        int[] target = targetShape(node, context);
        if (in.operand().layout() == OperandLayout.CHANNELS_LAST) {
            if (target.length != 2 || target[1] != -1 || !keepsOrder(in.operand())) {
                throw new Refused(
                        "reshape of an NHWC tensor would reorder its elements",
                        in.operand().text() + " to " + Arrays.toString(target),
                        "C=1 or H=W=1, and a target of (X, -1)",
                        NHWC_ADVICE);
            }
        }
        TensorOperand out =
                in.operand().withShape(inferred(in.operand(), target)).withLayout(OperandLayout.CONTIGUOUS);
        context.emit(
                node.output(),
                OperationType.RESHAPE,
                out,
                in.id(),
                context.model().vector(target));
    }

    private static int[] targetShape(Node node, CompatLoweringContext context) {
        if (context.constant(node.input(1)) instanceof ScriptList list
                && list.items().contains(CompatLoweringContext.RunTimeSize.INSTANCE)) {
            throw new Refused(
                    "reshape needs fixed sizes", "a size known at run time", "constant sizes", "use flatten instead");
        }
        return context.intsConstant(node.input(1));
    }

    /** The target with its -1 replaced. */
    private static int[] inferred(TensorOperand in, int[] target) {
        long elements = Shape.numel(in.shape());
        long known = 1;
        int open = -1;
        boolean legal = true;
        for (int d = 0; d < target.length; d++) {
            if (target[d] == -1 && open < 0) {
                open = d;
            } else if (target[d] > 0) {
                known = Math.multiplyExact(known, (long) target[d]);
            } else {
                legal = false;
            }
        }
        if (!legal || (open < 0 ? known != elements : elements % known != 0)) {
            throw new Refused(
                    "the new shape must hold all elements",
                    in.text() + " to " + Arrays.toString(target),
                    elements + " elements",
                    "");
        }
        int[] out = target.clone();
        if (open >= 0) {
            out[open] = Math.toIntExact(elements / known);
        }
        return out;
    }

    private static void flatten(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.operand(node.input(0));
        TensorOperand operand = in.operand();
        int rank = operand.rank();
        int start = dimension(context.intConstant(node.input(1)), rank);
        int end = dimension(context.intConstant(node.input(2)), rank);
        if (operand.layout() == OperandLayout.CHANNELS_LAST && !keepsOrder(operand)) {
            throw new Refused(
                    "flatten of an NHWC tensor would reorder its elements",
                    operand.text(),
                    "C=1 or H=W=1",
                    NHWC_ADVICE);
        }
        if (start > end || rank == 0) {
            throw new Refused("flatten's dimensions must be in order", start + " to " + end, "start <= end", "");
        }
        int[] shape = new int[rank - (end - start)];
        int flexible = -1;
        int product = 1;
        for (int d = 0; d < rank; d++) {
            boolean inside = d >= start && d <= end;
            if (!operand.isFixed(d)) {
                if (inside) {
                    throw new Refused(
                            "flattened dimensions must be fixed",
                            operand.text(),
                            "a fixed dimension " + d,
                            "fix that size of the input");
                }
                if (flexible >= 0) {
                    throw new Refused(
                            "RESHAPE can leave one size open",
                            operand.text(),
                            "at most one flexible dimension",
                            "fix all sizes but one");
                }
                flexible = d;
            }
            if (inside) {
                product = Math.multiplyExact(product, operand.size(d));
            } else {
                shape[d < start ? d : d - (end - start)] = operand.size(d);
            }
        }
        shape[start] = product;
        int out = context.define(node.output(), operand.withShape(shape).withLayout(OperandLayout.CONTIGUOUS));
        int[] target = shape.clone();
        for (int d = 0; d < shape.length; d++) {
            if (shape[d] == TensorOperand.AT_LOAD) {
                context.shapes().forward(out, d, in.id(), flexible);
                target[d] = -1;
            }
        }
        context.model()
                .operation(OperationType.RESHAPE, out, in.id(), context.model().vector(target));
    }

    private static void unsqueeze(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        int rank = in.operand().rank();
        if (in.operand().layout() != OperandLayout.CONTIGUOUS) {
            throw new Refused(
                    "unsqueeze works on contiguous tensors", in.operand().text(), "an NCHW operand", NHWC_ADVICE);
        }
        int given = Math.toIntExact(context.intConstant(node.input(1)));
        int at = dimension(given, rank + 1);
        int[] shape = new int[rank + 1];
        for (int d = 0; d <= rank; d++) {
            shape[d] = d == at ? 1 : in.size(d < at ? d : d - 1);
        }
        context.emit(
                node.output(),
                OperationType.EXPAND_DIMS,
                in.operand().withShape(shape),
                in.id(),
                context.model().int32(given));
    }

    private static void size(Node node, CompatLoweringContext context) {
        if (node.inputs().size() == 1) {
            TensorOperand operand = context.operand(node.input(0)).operand();
            List<Object> sizes = new ArrayList<>();
            for (int d = 0; d < operand.rank(); d++) {
                sizes.add(
                        operand.isFixed(d)
                                ? (Object) (long) operand.size(d)
                                : CompatLoweringContext.RunTimeSize.INSTANCE);
            }
            context.defineConstant(node.output(), new ScriptList(Type.Basic.INT, sizes));
            return;
        }
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        int size = in.size(
                dimension(context.intConstant(node.input(1)), in.operand().rank()));
        context.defineConstant(
                node.output(),
                size == TensorOperand.AT_RUN ? CompatLoweringContext.RunTimeSize.INSTANCE : (Object) (long) size);
    }

    /** With one channel or one pixel, N, H, W, C and N, C, H, W order are the same. */
    private static boolean keepsOrder(TensorOperand operand) {
        return operand.rank() == 4 && (operand.size(1) == 1 || operand.size(2) == 1 && operand.size(3) == 1);
    }

    /** A dimension that may count from the end. */
    static int dimension(long dimension, int rank) {
        if (dimension < -rank || dimension >= rank) {
            throw new Refused("the dimension must exist", "dimension " + dimension, -rank + " to " + (rank - 1), "");
        }
        return (int) (dimension < 0 ? dimension + rank : dimension);
    }
}
