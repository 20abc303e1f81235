package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Comparisons, what is made of truth values and of bits, and choices by truth values. */
final class Comparisons implements NodeFamily {
    private static final int MAX_SHIFT = 30;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::where", Comparisons::where);
        table.plan("aten::masked_fill", Comparisons::maskedFill);
        comparison(table, "aten::eq", OperationType.EQUAL);
        comparison(table, "aten::ne", OperationType.NOT_EQUAL);
        comparison(table, "aten::lt", OperationType.LESS);
        comparison(table, "aten::le", OperationType.LESS_EQUAL);
        comparison(table, "aten::gt", OperationType.GREATER);
        comparison(table, "aten::ge", OperationType.GREATER_EQUAL);
        truth(table, "aten::logical_and", OperationType.LOGICAL_AND);
        truth(table, "aten::logical_or", OperationType.LOGICAL_OR);
        truth(table, "aten::logical_xor", OperationType.NOT_EQUAL);
        bitwise(table, "aten::__and__", OperationType.LOGICAL_AND, Bits.Joint.AND);
        bitwise(table, "aten::__or__", OperationType.LOGICAL_OR, Bits.Joint.OR);
        bitwise(table, "aten::bitwise_and", OperationType.LOGICAL_AND, Bits.Joint.AND);
        bitwise(table, "aten::__xor__", OperationType.NOT_EQUAL, Bits.Joint.XOR);
        bitwise(table, "aten::bitwise_xor", OperationType.NOT_EQUAL, Bits.Joint.XOR);
        bitwise(table, "aten::bitwise_or", OperationType.LOGICAL_OR, Bits.Joint.OR);
        table.put(
                "aten::logical_not",
                (node, context) -> Elementwise.each(
                        node,
                        context,
                        x -> context.nnapi()
                                .unary(
                                        OperationType.LOGICAL_NOT,
                                        context.nnapi().cast(x, OperandType.TENSOR_BOOL8))));
        table.plan("aten::bitwise_not", Comparisons::not);
        for (String kind : new String[] {"aten::__lshift__", "aten::bitwise_left_shift"}) {
            table.plan(kind, (node, context) -> shift(node, context, true));
        }
        for (String kind : new String[] {"aten::__rshift__", "aten::bitwise_right_shift"}) {
            table.plan(kind, (node, context) -> shift(node, context, false));
        }
    }

    private static void comparison(NodeLoweringTable table, String kind, OperationType type) {
        table.plan(
                kind,
                (node, context) -> Elementwise.binary(
                        node,
                        context,
                        Elementwise.common(context, node.input(0), node.input(1)),
                        (a, b) -> context.nnapi()
                                .test(
                                        type,
                                        fitting(context, a, node.input(0), node.input(1)),
                                        fitting(context, b, node.input(1), node.input(0)))));
    }

    /** A whole number beside a tensor of few bits, which it is brought to: beside uint8, -1 is 255. */
    private static OperandRef fitting(LoweringContext context, OperandRef made, Value value, Value other) {
        if (made.type() != OperandType.TENSOR_INT32
                || Elementwise.isNumber(context, other)
                || !OperandTypes.isShort(context.facts(other).dtype())
                || context.facts(other).rank() == 0) {
            return made;
        }
        boolean number = Elementwise.isNumber(context, value);
        DType dtype = context.facts(other).dtype();
        int half = 1 << (8 * dtype.bytes() - 1);
        double given = number ? context.number(value) : 0;
        boolean fits = dtype == DType.UINT8 ? given >= 0 && given < 2 * half : given >= -half && given < half;
        return number && !fits || !number && context.facts(value).rank() == 0
                ? WholeNumbers.wrapped(context.nnapi(), made, dtype)
                : made;
    }

    /** Of numbers as well, which are true where they are not 0. */
    private static void truth(NodeLoweringTable table, String kind, OperationType type) {
        table.plan(
                kind,
                (node, context) -> Elementwise.binary(
                        node,
                        context,
                        OperandType.TENSOR_BOOL8,
                        (a, b) -> context.nnapi().test(type, a, b)));
    }

    /** A logical operation on truth values, which whole numbers are given bit by bit. */
    private static void bitwise(NodeLoweringTable table, String kind, OperationType type, Bits.Joint joint) {
        table.plan(kind, (node, context) -> {
            DType dtype = context.facts(node.output()).dtype();
            if (dtype == DType.BOOL) {
                return Elementwise.binary(
                        node,
                        context,
                        OperandType.TENSOR_BOOL8,
                        (a, b) -> context.nnapi().test(type, a, b));
            }
            if (notWhole(context, node.output()) != null) {
                return LoweringPlan.refused(notWhole(context, node.output()));
            }
            Value mask = Elementwise.isNumber(context, node.input(1))
                            || context.isConstant(node.input(1))
                                    && context.tensor(node.input(1)).numel() == 1
                    ? node.input(1)
                    : null;
            long known = mask == null ? -1 : (long) context.number(mask);
            return Elementwise.arithmetic(
                    node,
                    context,
                    (a, b) -> known >= 0
                            ? Bits.masked(context.nnapi(), joint, a, known)
                            : Bits.joined(context.nnapi(), joint, a, b, dtype));
        });
    }

    /** Why a tensor has no bits; null where it has. */
    private static Reason notWhole(LoweringContext context, Value value) {
        return OperandTypes.of(context.facts(value).dtype()) == OperandType.TENSOR_INT32
                ? null
                : new Reason(
                        "bits are those of truth values and whole numbers",
                        context.facts(value).toString(),
                        "bool or a dtype of whole numbers");
    }

    private static LoweringPlan not(Node node, LoweringContext context) {
        DType dtype = context.facts(node.input(0)).dtype();
        if (dtype == DType.BOOL) {
            return () -> Elementwise.each(node, context, x -> context.nnapi().unary(OperationType.LOGICAL_NOT, x));
        }
        if (notWhole(context, node.input(0)) != null) {
            return LoweringPlan.refused(notWhole(context, node.input(0)));
        }
        return () -> Elementwise.each(
                node,
                context,
                x -> WholeNumbers.wrapped(
                        context.nnapi(), context.nnapi().sub(context.nnapi().indices(-1), x), dtype));
    }

    /** Shifts by a number of bits are products and quotients that are rounded down. */
    private static LoweringPlan shift(Node node, LoweringContext context, boolean left) {
        double bits = context.number(node.input(1));
        if (notWhole(context, node.output()) != null) {
            return LoweringPlan.refused(notWhole(context, node.output()));
        }
        if (!(bits >= 0 && bits <= MAX_SHIFT)) {
            return LoweringPlan.refused(
                    "numbers of 32 bits are shifted", "by " + bits, "by 0 to " + MAX_SHIFT + " bits");
        }
        return () -> {
            DType dtype = context.facts(node.output()).dtype();
            NnapiBuilder nnapi = context.nnapi();
            OperandRef factor = nnapi.indices(1 << (int) bits);
            Elementwise.each(
                    node,
                    context,
                    x -> WholeNumbers.wrapped(nnapi, left ? nnapi.mul(x, factor) : nnapi.div(x, factor), dtype));
        };
    }

    private static LoweringPlan where(Node node, LoweringContext context) {
        if (node.inputs().size() != 3) {
            return LoweringPlan.refused(
                    "where chooses between two tensors",
                    node.inputs().size() + " arguments",
                    "a condition and two tensors");
        }
        return select(node, context, node.input(0), node.input(1), node.input(2));
    }

    private static LoweringPlan maskedFill(Node node, LoweringContext context) {
        return select(node, context, node.input(1), node.input(2), node.input(0));
    }

    private static LoweringPlan select(Node node, LoweringContext context, Value condition, Value yes, Value no) {
        OperandType type = OperandTypes.of(context.facts(node.output()).dtype());
        return Elementwise.broadcast(
                node,
                context,
                List.of(condition, yes, no),
                List.of(OperandType.TENSOR_BOOL8, type, type),
                terms -> chosen(context.nnapi(), terms.get(0), terms.get(1), terms.get(2)));
    }

    /** What {@code yes} says where a condition holds; all three broadcast. */
    static OperandRef chosen(NnapiBuilder nnapi, OperandRef where, OperandRef yes, OperandRef no) {
        if (no.type() == OperandType.TENSOR_BOOL8) {
            OperandRef otherwise =
                    nnapi.test(OperationType.LOGICAL_AND, nnapi.unary(OperationType.LOGICAL_NOT, where), no);
            return nnapi.test(OperationType.LOGICAL_OR, nnapi.test(OperationType.LOGICAL_AND, where, yes), otherwise);
        }
        int[] dims = NnapiBuilder.broadcast(where.dims(), NnapiBuilder.broadcast(yes.dims(), no.dims()));
        return nnapi.select(full(nnapi, where, dims), full(nnapi, yes, dims), full(nnapi, no, dims));
    }

    /** SELECT does not broadcast. */
    static OperandRef full(NnapiBuilder nnapi, OperandRef term, int... out) {
        if (Arrays.equals(term.dims(), out)) {
            return term;
        }
        int[] dims = Shapes.widened(out.length, term.dims());
        int[] multiples = new int[dims.length];
        for (int d = 0; d < dims.length; d++) {
            multiples[d] = out[d] / dims[d];
        }
        boolean number = term.isConstant() && term.count() == 1 && term.type() == OperandType.TENSOR_FLOAT32;
        return nnapi.tile(
                number ? nnapi.number(nnapi.values(term)[0], dims.length) : nnapi.reshape(term, dims), multiples);
    }
}
