package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** The largest elements in order, whole orders, and running sums. */
final class SortLowering implements NodeFamily {
    /**
     * Running sums of more elements than this add halves to each other instead of multiplying with a triangle of ones.
     */
    private static final int MAX_TRIANGLE = 256;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan(
                "aten::topk",
                (node, context) -> rank(
                        node,
                        context,
                        node.output(0),
                        node.output(1),
                        context.integer(node.input(2)),
                        context.flag(node.input(3))));
        table.plan("aten::sort", (node, context) -> sorted(node, context, node.output(0), node.output(1)));
        table.plan("aten::argsort", (node, context) -> sorted(node, context, null, node.output()));
        table.plan(
                "aten::kthvalue",
                (node, context) -> placed(
                        context,
                        node.input(0),
                        node.outputs(),
                        context.int32(node.input(2)),
                        context.int32(node.input(1)),
                        false));
        table.plan("aten::median", SortLowering::median);
        table.plan("aten::cumsum", SortLowering::runningSum);
        running(table, "aten::cumprod", 1.0, NnapiBuilder::mul);
        running(table, "aten::cummax", null, (nnapi, a, b) -> nnapi.binary(OperationType.MAXIMUM, a, b));
        running(table, "aten::cummin", null, (nnapi, a, b) -> nnapi.binary(OperationType.MINIMUM, a, b));
        running(table, "aten::logcumsumexp", Double.NEGATIVE_INFINITY, SortLowering::logOfSum);
    }

    private static void running(
            NodeLoweringTable table, String kind, Double neutral, NodeLoweringTable.Operation join) {
        table.plan(kind, (node, context) -> running(node, context, neutral, (a, b) -> join.of(context.nnapi(), a, b)));
    }

    /** All of the elements; the last two arguments say along which dimension, and whether the largest come first. */
    private static LoweringPlan sorted(Node node, LoweringContext context, Value values, Value places) {
        int first = node.inputs().size() - 2;
        return rank(
                node, context, values, places, context.integer(node.input(first)), context.flag(node.input(first + 1)));
    }

    /** Why tensors are not ranked; null where they are. */
    private static Reason unranked(TensorFacts known) {
        return known.rank() == 0
                ? new Reason(
                        "tensors of one or more dimensions are ranked and summed up", known.toString(), "rank >= 1")
                : null;
    }

    /** The last dimension of an order behind the others, which are one where they are more than NNAPI has. */
    private static OperandRef rows(LoweringContext context, Value value, int... order) {
        OperandRef in = context.in(value, order);
        int size = context.facts(value).size(order[order.length - 1]);
        return order.length > NnapiBuilder.MAX_RANK
                ? context.nnapi().reshape(in, Math.toIntExact(in.count() / size), size)
                : in;
    }

    private static LoweringPlan rank(
            Node node, LoweringContext context, Value values, Value places, long given, boolean largest) {
        TensorFacts known = context.facts(node.input(0));
        if (unranked(known) != null) {
            return LoweringPlan.refused(unranked(known));
        }
        int[] order = ScatterLowering.last(known.rank(), LoweringContext.dimension(given, known.rank()));
        requireNumbers(context, node.input(0));
        return () -> {
            int count = context.facts(places).size(order[order.length - 1]);
            OperandRef[] made = ranked(context.nnapi(), rows(context, node.input(0), order), count, largest);
            if (values != null && values.isUsed()) {
                context.define(values, made[0], order);
            }
            if (places.isUsed()) {
                context.define(places, made[1], order);
            }
        };
    }

    /** The largest or smallest of the last dimension in their order, and their places. */
    private static OperandRef[] ranked(NnapiBuilder nnapi, OperandRef in, int count, boolean largest) {
        if (largest) {
            return nnapi.largest(in, count);
        }
        // Of whole numbers -1 - x, as the least has no negative.
        UnaryOperator<OperandRef> reversed = x -> x.type() == OperandType.TENSOR_INT32
                ? nnapi.sub(nnapi.indices(-1), x)
                : nnapi.unary(OperationType.NEG, x);
        OperandRef[] made = nnapi.largest(reversed.apply(in), count);
        return new OperandRef[] {reversed.apply(made[0]), made[1]};
    }

    static boolean isWhole(LoweringContext context, Value value) {
        DType dtype = context.facts(value).dtype();
        return OperandTypes.isWhole(dtype) || OperandTypes.isShort(dtype);
    }

    private static void requireNumbers(LoweringContext context, Value value) {
        if (!isWhole(context, value)) {
            context.requireFloat(value);
        }
    }

    /**
     * The {@code k}-th largest or smallest element, and where the first such one stands.
     *
     * @param outs the element and its place, each null where nobody asks for it
     * @param dimension null for all elements
     */
    static LoweringPlan placed(
            LoweringContext context, Value in, List<Value> outs, Integer dimension, int k, boolean largest) {
        TensorFacts known = context.facts(in);
        NnapiBuilder nnapi = context.nnapi();
        if (dimension != null && unranked(known) != null) {
            return LoweringPlan.refused(unranked(known));
        }
        requireNumbers(context, in);
        int[] order = dimension == null
                ? new int[] {0}
                : ScatterLowering.last(known.rank(), LoweringContext.dimension(dimension, known.rank()));
        return () -> {
            OperandRef given =
                    dimension == null ? context.as(in, Math.toIntExact(known.count())) : rows(context, in, order);
            OperandRef[] parts = ranked(nnapi, given, k, largest);
            for (int i = 0; i < outs.size(); i++) {
                Value out = outs.get(i);
                if (out != null && out.isUsed()) {
                    boolean kept = context.facts(out).rank() == known.rank();
                    OperandRef part = nnapi.slice(parts[i], given.rank() - 1, k - 1, k, 1);
                    if (dimension == null) {
                        context.shaped(out, part);
                    } else {
                        int last = order[order.length - 1];
                        context.shaped(out, part, kept ? order : LoweringContext.without(order, last));
                    }
                }
            }
        };
    }

    /** The lower one of two in the middle. */
    private static LoweringPlan median(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        boolean all = node.inputs().size() == 1;
        Integer dimension = all ? null : (Integer) context.dimension(node.input(1), known.rank());
        int count = all ? Math.toIntExact(known.count()) : known.size(dimension);
        return placed(context, node.input(0), node.outputs(), dimension, (count + 1) / 2, false);
    }

    /** Running products, extremes, of which the places may be asked for, and logarithms of sums. */
    private static LoweringPlan running(
            Node node, LoweringContext context, Double neutral, BinaryOperator<OperandRef> join) {
        TensorFacts known = context.facts(node.input(0));
        context.requireFloat(node.input(0));
        context.requireFloat(node.output(0));
        if (unranked(known) != null) {
            return LoweringPlan.refused(unranked(known));
        }
        int[] order = ScatterLowering.last(known.rank(), context.dimension(node.input(1), known.rank()));
        return () -> {
            int size = known.size(order[order.length - 1]);
            NnapiBuilder nnapi = context.nnapi();
            OperandRef rows =
                    nnapi.reshape(context.in(node.input(0), order), Math.toIntExact(known.count() / size), size);
            OperandRef made = doubling(nnapi, rows, size, neutral, join);
            context.shaped(node.output(0), made, order);
            if (node.outputs().size() > 1 && node.output(1).isUsed()) {
                OperandRef places = places(nnapi, rows, made, size);
                context.shaped(node.output(1), nnapi.cast(places, OperandType.TENSOR_INT32), order);
            }
        };
    }

    /**
     * Where running extremes stand: an element that is the extreme up to itself has its place, and the last of those
     * counts.
     */
    private static OperandRef places(NnapiBuilder nnapi, OperandRef rows, OperandRef extremes, int size) {
        OperandRef own = nnapi.cast(nnapi.test(OperationType.EQUAL, rows, extremes), OperandType.TENSOR_FLOAT32);
        return doubling(
                nnapi,
                nnapi.mul(own, nnapi.iota(0, 1, size)),
                size,
                null,
                (a, b) -> nnapi.binary(OperationType.MAXIMUM, a, b));
    }

    /** {@code log(exp(a) + exp(b))}; equal numbers are no distance apart, infinite ones too. */
    private static OperandRef logOfSum(NnapiBuilder nnapi, OperandRef a, OperandRef b) {
        OperandRef apart = nnapi.test(OperationType.NOT_EQUAL, a, b);
        OperandRef distance =
                nnapi.select(apart, nnapi.unary(OperationType.ABS, nnapi.sub(a, b)), nnapi.filled(a, a.dims(), 0));
        OperandRef rest = nnapi.unary(
                OperationType.LOG,
                nnapi.add(nnapi.unary(OperationType.EXP, nnapi.unary(OperationType.NEG, distance)), 1));
        return nnapi.add(nnapi.binary(OperationType.MAXIMUM, a, b), rest);
    }

    private static LoweringPlan runningSum(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        int dimension = context.dimension(node.input(1), known.rank());
        if (unranked(known) != null) {
            return LoweringPlan.refused(unranked(known));
        }
        int[] order = ScatterLowering.last(known.rank(), dimension);
        int size = known.size(dimension);
        NnapiBuilder nnapi = context.nnapi();
        boolean whole = OperandTypes.of(known.dtype()) == OperandType.TENSOR_INT32;
        if (whole && size > MAX_TRIANGLE) {
            return LoweringPlan.refused(
                    "running sums of whole numbers must stay exact",
                    known.toString(),
                    MAX_TRIANGLE + " elements at most",
                    "sum up real numbers");
        }
        return () -> {
            OperandRef given = context.in(node.input(0), order);
            UnaryOperator<OperandRef> sums = x -> {
                OperandRef rows = nnapi.reshape(x, Math.toIntExact(known.count() / size), size);
                OperandRef made = size <= MAX_TRIANGLE
                        ? nnapi.fullyConnected(rows, triangle(nnapi, size), nnapi.zeros(size))
                        : doubling(nnapi, rows, size, 0.0, nnapi::add);
                return nnapi.reshape(made, x.dims());
            };
            // The halves' sums are exact in float32, as there are few of them.
            OperandRef made = whole
                    ? WholeNumbers.halves(nnapi, List.of(given), parts -> sums.apply(parts.get(0)))
                    : sums.apply(nnapi.cast(given, OperandType.TENSOR_FLOAT32));
            context.define(node.output(), nnapi.cast(made, OperandTypes.of(to.dtype())), order);
        };
    }

    private static OperandRef triangle(NnapiBuilder nnapi, int size) {
        float[] ones = new float[size * size];
        for (int row = 0; row < size; row++) {
            Arrays.fill(ones, row * size, row * size + row + 1, 1);
        }
        return nnapi.floats(ones, size, size);
    }

    /**
     * Joins what stands 1, 2, 4, .. places before.
     *
     * @param neutral what the first elements are joined with, which have nothing before them; null for themselves
     */
    private static OperandRef doubling(
            NnapiBuilder nnapi, OperandRef rows, int size, Double neutral, BinaryOperator<OperandRef> join) {
        OperandRef sum = rows;
        for (int step = 1; step < size; step *= 2) {
            OperandRef first = neutral == null
                    ? nnapi.slice(sum, 1, 0, step, 1)
                    : nnapi.filled(rows, new int[] {rows.dims()[0], step}, neutral);
            OperandRef moved = nnapi.concatenate(List.of(first, nnapi.slice(sum, 1, 0, size - step, 1)), 1);
            sum = join.apply(sum, moved);
        }
        return sum;
    }
}
