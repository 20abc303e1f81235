package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Means, sums and extremes along dimensions, and their places. */
final class Reductions implements NodeFamily {
    /** As many halves of whole numbers add up exactly in float32. */
    private static final int MAX_WHOLE = 256;
    /** Height and width of feature maps. */
    private static final int[] PICTURE = {1, 2};

    /** A reduction of NNAPI's dimensions that keeps them. */
    interface Kernel extends BiFunction<OperandRef, int[], OperandRef> {}

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::mean", (node, context) -> reduce(node, context, (x, d) -> mean(context.nnapi(), x, d)));
        table.plan("aten::sum", Reductions::sum);
        reduced(table, "aten::prod", OperationType.REDUCE_PROD);
        reduced(table, "aten::amax", OperationType.REDUCE_MAX);
        reduced(table, "aten::amin", OperationType.REDUCE_MIN);
        table.put("aten::norm", Reductions::norm);
        table.put("aten::linalg_vector_norm", Reductions::norm);
        table.plan(
                "aten::max",
                (node, context) -> extreme(node, context, OperationType.REDUCE_MAX, OperationType.MAXIMUM));
        table.plan(
                "aten::min",
                (node, context) -> extreme(node, context, OperationType.REDUCE_MIN, OperationType.MINIMUM));
        table.plan("aten::argmax", (node, context) -> position(node, context, OperationType.ARGMAX));
        table.plan("aten::argmin", (node, context) -> position(node, context, OperationType.ARGMIN));
    }

    private static void reduced(NodeLoweringTable table, String kind, OperationType type) {
        table.plan(
                kind,
                (node, context) ->
                        reduce(node, context, (x, d) -> context.nnapi().reduce(type, x, d)));
    }

    /**
     * NNAPI cuts off what quantized means have behind the point, PyTorch rounds; over a whole picture the largest
     * window's average is rounded too.
     */
    private static OperandRef mean(NnapiBuilder nnapi, OperandRef in, int... dimensions) {
        if (!in.isQuantized()) {
            return nnapi.mean(in, dimensions);
        }
        if (in.rank() == NnapiBuilder.MAX_RANK && Arrays.equals(dimensions, PICTURE)) {
            LoweringFrame whole = LoweringFrame.of(
                    new int[] {in.dims()[1], in.dims()[2]}, new int[0], new int[] {0, 0}, new int[] {1, 1});
            return nnapi.windows().pool(OperationType.AVERAGE_POOL_2D, in, whole);
        }
        return nnapi.quantize(nnapi.mean(nnapi.dequantize(in), dimensions), in.scale(), in.zeroPoint());
    }

    private static LoweringPlan sum(Node node, LoweringContext context) {
        NnapiBuilder nnapi = context.nnapi();
        Kernel kernel = (x, d) -> nnapi.reduce(OperationType.REDUCE_SUM, x, d);
        DType from = context.facts(node.input(0)).dtype();
        boolean whole = OperandTypes.isWhole(from) || OperandTypes.isShort(from);
        if ((from == DType.BOOL || whole) && context.isFloat(node.output())) {
            return () -> reduce(
                    context,
                    node.output(),
                    node.input(0),
                    dimensions(node, context),
                    (x, d) -> kernel.apply(nnapi.cast(x, OperandType.TENSOR_FLOAT32), d));
        }
        if (from != DType.BOOL && !whole
                || !OperandTypes.isWhole(context.facts(node.output()).dtype())) {
            return reduce(node, context, kernel);
        }
        int most = Math.toIntExact(context.facts(node.input(0)).count()
                / context.facts(node.output()).count());
        if (from != DType.BOOL && most > MAX_WHOLE) {
            return LoweringPlan.refused(
                    "sums of whole numbers must stay exact",
                    most + " numbers",
                    MAX_WHOLE + " at most",
                    "sum up real numbers");
        }
        return () -> {
            // The halves' sums are exact in float32, as there are few of them.
            reduce(
                    context,
                    node.output(),
                    node.input(0),
                    dimensions(node, context),
                    (x, d) -> x.type() == OperandType.TENSOR_BOOL8
                            ? nnapi.cast(
                                    kernel.apply(nnapi.cast(x, OperandType.TENSOR_FLOAT32), d),
                                    OperandType.TENSOR_INT32)
                            : WholeNumbers.halves(nnapi, List.of(x), parts -> kernel.apply(parts.get(0), d)));
        };
    }

    private static int[] dimensions(Node node, LoweringContext context) {
        return node.inputs().size() <= 2 || context.isNone(node.input(1))
                ? new int[0]
                : context.integers(node.input(1));
    }

    private static LoweringPlan reduce(Node node, LoweringContext context, Kernel kernel) {
        boolean all = node.inputs().size() <= 2;
        Value dtype = context.optional(node, node.inputs().size() - 1);
        if (context.facts(node.input(0)).quantization() == null) {
            context.requireFloat(node.input(0));
            context.requireFloat(node.output());
        }
        if (dtype != null
                && !all
                && dtype.type() == Type.Basic.INT
                && node.inputs().size() == 4
                && DType.ofCode(context.integer(dtype))
                        != context.facts(node.output()).dtype()) {
            return LoweringPlan.refused("reductions keep the dtype", "a dtype argument", "None");
        }
        return () -> reduce(context, node.output(), node.input(0), dimensions(node, context), kernel);
    }

    /** Reduces PyTorch's dimensions, all if there are none, and keeps those that the result has. */
    static void reduce(LoweringContext context, Value out, Value in, int[] dimensions, Kernel kernel) {
        TensorFacts known = context.facts(in);
        TensorFacts to = context.facts(out);
        TreeSet<Integer> reduced = new TreeSet<>();
        for (int d : dimensions) {
            reduced.add(LoweringContext.dimension(d, known.rank()));
        }
        if (reduced.isEmpty() || known.rank() == 0) {
            context.shaped(out, kernel.apply(flat(context, in), new int[] {0}));
            return;
        }
        int[] order = context.order(in);
        int[] gone = reduced.stream().mapToInt(d -> d).toArray();
        int[] places = IntStream.range(0, order.length)
                .filter(i -> reduced.contains(order[i]))
                .toArray();
        if (known.rank() > NnapiBuilder.MAX_RANK) {
            boolean neighbours = places[places.length - 1] - places[0] == places.length - 1;
            // What is reduced goes last where it does not lie together.
            int[] kept = neighbours
                    ? order
                    : IntStream.concat(Arrays.stream(order).filter(d -> !reduced.contains(d)), IntStream.of(gone))
                            .toArray();
            int first = neighbours ? places[0] : kept.length - places.length;
            OperandRef made = kernel.apply(context.around(in, kept, first, first + places.length - 1), new int[] {1});
            context.shaped(out, made, to.rank() == known.rank() ? kept : LoweringContext.without(kept, gone));
            return;
        }
        OperandRef made = kernel.apply(context.in(in, order), places);
        context.shaped(out, made, to.rank() == known.rank() ? order : LoweringContext.without(order, gone));
    }

    private static OperandRef flat(LoweringContext context, Value in) {
        return context.as(in, Math.toIntExact(context.facts(in).count()));
    }

    private static void norm(Node node, LoweringContext context) {
        double power = context.isNone(node.input(1)) ? 2 : context.number(node.input(1));
        context.requireFloat(node.input(0));
        context.requireFloat(node.output());
        int[] dimensions = node.inputs().size() > 2 && !context.isNone(node.input(2))
                ? context.integers(node.input(2))
                : new int[0];
        reduce(context, node.output(), node.input(0), dimensions, norm(context.nnapi(), power));
    }

    private static Kernel norm(NnapiBuilder nnapi, double power) {
        Kernel sum = (x, d) -> nnapi.reduce(OperationType.REDUCE_SUM, x, d);
        if (power == 2) {
            return (x, d) -> nnapi.root(sum.apply(nnapi.mul(x, x), d));
        }
        if (power == 1) {
            return (x, d) -> sum.apply(nnapi.unary(OperationType.ABS, x), d);
        }
        if (Double.isInfinite(power)) {
            OperationType extreme = power > 0 ? OperationType.REDUCE_MAX : OperationType.REDUCE_MIN;
            return (x, d) -> nnapi.reduce(extreme, nnapi.unary(OperationType.ABS, x), d);
        }
        if (power == 0) {
            return (x, d) -> sum.apply(
                    nnapi.cast(nnapi.test(OperationType.NOT_EQUAL, x, nnapi.number(0)), OperandType.TENSOR_FLOAT32), d);
        }
        return (x, d) -> nnapi.binary(
                OperationType.POW,
                sum.apply(nnapi.binary(OperationType.POW, nnapi.unary(OperationType.ABS, x), nnapi.number(power)), d),
                nnapi.number(1 / power));
    }

    /** Of two tensors, of all elements, or along a dimension with the places. */
    private static LoweringPlan extreme(
            Node node, LoweringContext context, OperationType reduction, OperationType pair) {
        if (node.inputs().size() == 2 && node.input(1).type() == Type.Basic.TENSOR) {
            return Elementwise.arithmetic(
                    node, context, (a, b) -> context.nnapi().binary(pair, a, b));
        }
        if (SortLowering.isWhole(context, node.input(0))) {
            Integer dimension = node.inputs().size() == 1 ? null : (Integer) context.integers(node.input(1))[0];
            return SortLowering.placed(
                    context, node.input(0), node.outputs(), dimension, 1, reduction == OperationType.REDUCE_MAX);
        }
        context.requireFloat(node.input(0));
        if (node.inputs().size() == 1) {
            return () -> reduce(
                    context,
                    node.output(),
                    node.input(0),
                    new int[0],
                    (x, d) -> context.nnapi().reduce(reduction, x, d));
        }
        int[] dimension = context.integers(node.input(1));
        boolean placed = node.outputs().size() == 2 && node.output(1).isUsed();
        LoweringPlan places = !placed
                ? () -> {}
                : place(
                        context,
                        node.output(1),
                        node.input(0),
                        dimension[0],
                        reduction == OperationType.REDUCE_MAX ? OperationType.ARGMAX : OperationType.ARGMIN);
        return places.refusal() != null
                ? places
                : () -> {
                    reduce(
                            context,
                            node.output(0),
                            node.input(0),
                            dimension,
                            (x, d) -> context.nnapi().reduce(reduction, x, d));
                    places.emit();
                };
    }

    private static LoweringPlan position(Node node, LoweringContext context, OperationType type) {
        if (SortLowering.isWhole(context, node.input(0))) {
            Integer dimension = context.isNone(node.input(1)) ? null : (Integer) context.int32(node.input(1));
            return SortLowering.placed(
                    context,
                    node.input(0),
                    Arrays.asList(null, node.output()),
                    dimension,
                    1,
                    type == OperationType.ARGMAX);
        }
        context.requireFloat(node.input(0));
        if (context.isNone(node.input(1))) {
            TensorFacts to = context.facts(node.output());
            return to.rank() != 0
                    ? LoweringPlan.refused(
                            "places among all elements have no dimensions", to.toString(), "keepdim=False")
                    : () -> context.define(
                            node.output(), context.nnapi().position(type, flat(context, node.input(0)), 0));
        }
        return place(context, node.output(), node.input(0), context.int32(node.input(1)), type);
    }

    private static LoweringPlan place(LoweringContext context, Value out, Value in, int given, OperationType type) {
        TensorFacts known = context.facts(in);
        int dimension = LoweringContext.dimension(given, known.rank());
        if (known.rank() > NnapiBuilder.MAX_RANK || known.rank() == 0) {
            return LoweringPlan.refused("places are found in one to four dimensions", known.toString(), "rank 1 to 4");
        }
        return () -> {
            int[] order = context.order(in);
            OperandRef made =
                    context.nnapi().position(type, context.in(in, order), LoweringContext.place(order, dimension));
            boolean kept = context.facts(out).rank() == known.rank();
            context.shaped(out, made, kept ? order : LoweringContext.without(order, dimension));
        };
    }
}
