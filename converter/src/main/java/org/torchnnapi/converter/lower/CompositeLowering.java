package org.torchnnapi.converter.lower;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/** Operators that are a few of NNAPI's operations each. */
final class CompositeLowering implements NodeFamily {
    @Override
    public void register(NodeLoweringTable table) {
        table.function("aten::sign", CompositeLowering::sign);
        table.function("aten::trunc", CompositeLowering::truncated);
        table.put("aten::round", (node, context) -> {
            double scale = node.inputs().size() > 1 ? Math.pow(10, context.integer(node.input(1))) : 1;
            Elementwise.apply(
                    node,
                    context,
                    x -> scale == 1
                            ? GridSamplerLowering.nearest(context.nnapi(), x)
                            : context.nnapi()
                                    .div(
                                            GridSamplerLowering.nearest(
                                                    context.nnapi(),
                                                    context.nnapi().mul(x, scale)),
                                            context.nnapi().number(scale)));
        });
        table.function(
                "aten::tan", (nnapi, x) -> nnapi.div(nnapi.unary(OperationType.SIN, x), Trigonometry.cosine(nnapi, x)));
        table.put("aten::any", (node, context) -> asked(node, context, OperationType.REDUCE_MAX));
        table.put("aten::all", (node, context) -> asked(node, context, OperationType.REDUCE_MIN));
    }

    /** 1, 0 or -1. */
    static OperandRef sign(NnapiBuilder nnapi, OperandRef x) {
        OperandRef above =
                nnapi.cast(nnapi.test(OperationType.GREATER, x, nnapi.number(0)), OperandType.TENSOR_FLOAT32);
        return nnapi.sub(
                above, nnapi.cast(nnapi.test(OperationType.LESS, x, nnapi.number(0)), OperandType.TENSOR_FLOAT32));
    }

    /** Rounded towards 0. */
    static OperandRef truncated(NnapiBuilder nnapi, OperandRef x) {
        return nnapi.mul(sign(nnapi, x), nnapi.unary(OperationType.FLOOR, nnapi.unary(OperationType.ABS, x)));
    }

    /** Whether some or all elements of truth values are true. */
    private static void asked(Node node, LoweringContext context, OperationType reduction) {
        NnapiBuilder nnapi = context.nnapi();
        int[] dimensions = node.inputs().size() > 1 ? context.integers(node.input(1)) : new int[0];
        Reductions.reduce(
                context,
                node.output(),
                node.input(0),
                dimensions,
                (x, d) -> nnapi.cast(
                        nnapi.reduce(
                                reduction,
                                nnapi.cast(nnapi.cast(x, OperandType.TENSOR_BOOL8), OperandType.TENSOR_FLOAT32),
                                d),
                        OperandType.TENSOR_BOOL8));
    }
}
