package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Tensors of which elements are replaced, at places that are constant or told by a mask: what stays and what is written
 * are put one behind the other, and the result is gathered from both. Triangles are such tensors as well.
 */
final class IndexPutLowering implements NodeFamily {
    private static final long MAX_PAIRS = 1L << 22;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::index_put", IndexPutLowering::put);
        table.plan("aten::index_fill", IndexPutLowering::fill);
        for (String kind : new String[] {"zeros_like", "empty_like", "zeros", "empty", "new_zeros", "new_empty"}) {
            table.plan("aten::" + kind, (node, context) -> filled(node, context, 0));
        }
        for (String kind : new String[] {"ones_like", "ones", "new_ones"}) {
            table.plan("aten::" + kind, (node, context) -> filled(node, context, 1));
        }
        for (String kind : new String[] {"full_like", "full", "new_full"}) {
            table.plan(
                    "aten::" + kind,
                    (node, context) ->
                            filled(node, context, context.number(node.input(kind.startsWith("new") ? 2 : 1))));
        }
        table.put("aten::tril", (node, context) -> triangle(node, context, true));
        table.put("aten::triu", (node, context) -> triangle(node, context, false));
    }

    private static int integer(Node node, LoweringContext context, int index, int usual) {
        return index < node.inputs().size() ? context.int32(node.input(index)) : usual;
    }

    /** A tensor of one number; what is to be written to holds anything before. */
    private static LoweringPlan filled(Node node, LoweringContext context, double value) {
        TensorFacts to = context.facts(node.output());
        NnapiBuilder nnapi = context.nnapi();
        if (to.quantization() != null) {
            return LoweringPlan.refused(
                    "tensors that are filled are not quantized", to.toString(), "a dtype without a scale");
        }
        return () -> context.define(
                node.output(), nnapi.filled(OperandTypes.of(to.dtype()), value, Shapes.dims(to.shape())));
    }

    private static int[] places(Value value, LoweringContext context) {
        return Arrays.stream(context.tensor(value).toLongArray())
                .mapToInt(Math::toIntExact)
                .toArray();
    }

    /** Why constant places along a dimension are none; null where they are. */
    private static Reason unplaced(LoweringContext context, Value value, int size) {
        if (!OperandTypes.isWhole(context.facts(value).dtype())) {
            return new Reason("places are whole numbers", context.facts(value).toString(), "int64 or int32");
        }
        return Arrays.stream(places(value, context))
                .filter(place -> place < -size || place >= size)
                .mapToObj(place -> new Reason(
                        "places must be there", String.valueOf(place), "from " + -size + " to " + (size - 1)))
                .findFirst()
                .orElse(null);
    }

    /** The computed places along one dimension, as they stand among those of others. */
    private static List<Object> along(Node node, LoweringContext context) {
        List<Object> items = new ArrayList<>(Collections.nCopies(
                context.dimension(node.input(1), context.facts(node.input(0)).rank()), null));
        items.add(node.input(2));
        return items;
    }

    static LoweringPlan copied(Node node, LoweringContext context) {
        return computed(node, context, along(node, context), node.input(3), false);
    }

    private static LoweringPlan fill(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        int dimension = context.dimension(node.input(1), known.rank());
        int size = known.size(dimension);
        OperandType type = OperandTypes.of(known.dtype());
        Reason unfit = Elementwise.unfit(context, node.input(3), type);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        boolean constant = context.isConstant(node.input(2));
        int[] shape = context.facts(node.input(2)).shape();
        Reason misplaced = constant ? unplaced(context, node.input(2), size) : GatherLowering.unfit(known, shape);
        return LoweringPlan.unless(misplaced, () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef filled;
            if (constant) {
                boolean[] truths = new boolean[size];
                for (int place : places(node.input(2), context)) {
                    truths[place < 0 ? place + size : place] = true;
                }
                filled = nnapi.truths(truths, 1, size, 1);
            } else {
                OperandRef places = GatherLowering.flatPlaces(
                        context, known, along(node, context), new int[] {dimension}, shape, true);
                OperandRef each = nnapi.cast(
                        GatherLowering.hits(nnapi, nnapi.reshape(places, places.count(), 1), size),
                        OperandType.TENSOR_FLOAT32);
                OperandRef hits = nnapi.reduce(OperationType.REDUCE_MAX, each, 0);
                filled = nnapi.test(OperationType.GREATER, nnapi.reshape(hits, 1, size, 1), nnapi.number(0));
            }
            OperandRef in = context.as(
                    node.input(0), Activations.outer(known, dimension), size, Activations.inner(known, dimension));
            context.shaped(
                    node.output(),
                    Comparisons.chosen(nnapi, filled, Elementwise.number(context, node.input(3), type), in));
        });
    }

    private static LoweringPlan put(Node node, LoweringContext context) {
        List<Object> items = context.indices(node.input(1));
        List<Value> computed = items.stream()
                .filter(Value.class::isInstance)
                .map(Value.class::cast)
                .collect(Streams.toList());
        boolean adds = node.inputs().size() > 3 && context.flag(node.input(3));
        if (computed.isEmpty()) {
            return constant(node, context, items, adds);
        }
        TensorFacts known = context.facts(computed.get(0));
        boolean single = items.stream().filter(Objects::nonNull).count() == 1;
        if (known.dtype() != DType.BOOL) {
            return computed(node, context, items, node.input(2), adds);
        }
        if (adds || !single) {
            return LoweringPlan.refused(
                    "places that are written to are numbers, or told by one mask",
                    known.toString(),
                    "int64, or one mask");
        }
        return masked(node, context, computed.get(0), items.indexOf(computed.get(0)));
    }

    /** One value for all elements of which a mask is true, or a row of them for each place of it. */
    private static LoweringPlan masked(Node node, LoweringContext context, Value mask, int first) {
        TensorFacts known = context.facts(node.input(0));
        TensorFacts rows = context.facts(mask);
        TensorFacts values = context.facts(node.input(2));
        int last = first + rows.rank();
        boolean single = values.count() == 1;
        int[] inside = Arrays.copyOfRange(known.shape(), last, known.rank());
        boolean row = !single && Arrays.equals(values.shape(), inside);
        if (!single && !row || first > 0 && row) {
            return LoweringPlan.refused(
                    "a mask is filled with one value", values.toString(), "one element", "use torch.where");
        }
        return () -> {
            int outer = Activations.outer(known, first);
            int places = Math.toIntExact(rows.count());
            int inner = Math.toIntExact(known.count() / outer / places);
            NnapiBuilder nnapi = context.nnapi();
            OperandType type = OperandTypes.of(known.dtype());
            context.shaped(
                    node.output(),
                    Comparisons.chosen(
                            nnapi,
                            context.as(mask, 1, places, 1),
                            nnapi.cast(context.as(node.input(2), 1, 1, single ? 1 : inner), type),
                            context.as(node.input(0), outer, places, inner)));
        };
    }

    /** Why values are not written to rows by {@link #latest}; null where they are. */
    static Reason unpaired(long pairs) {
        return pairs <= MAX_PAIRS
                ? null
                : new Reason(
                        "places that are written to are paired with all there are",
                        pairs + " pairs",
                        MAX_PAIRS + " at most");
    }

    /**
     * Rows of which some are written to, the last one of several to the same place.
     *
     * @param rows (many, inner)
     * @param values (count, inner)
     * @param places real numbers from 0 to before {@code many}, one for each of the values
     */
    static OperandRef latest(NnapiBuilder nnapi, OperandRef rows, OperandRef values, OperandRef places) {
        int many = rows.dims()[0];
        int count = values.dims()[0];
        OperandRef hits = nnapi.cast(
                GatherLowering.hits(nnapi, nnapi.reshape(places, count, 1), many), OperandType.TENSOR_FLOAT32);
        OperandRef numbered = nnapi.mul(hits, nnapi.iota(1, count, 1));
        OperandRef last = nnapi.reshape(nnapi.reduce(OperationType.REDUCE_MAX, numbered, 0), many);
        OperandRef from = nnapi.select(
                nnapi.test(OperationType.GREATER, last, nnapi.number(0)),
                nnapi.add(last, many - 1),
                nnapi.iota(0, many));
        return nnapi.gather(nnapi.concatenate(List.of(rows, values), 0), 0, GatherLowering.whole(nnapi, from));
    }

    /** Places of which some are computed: picked dimensions are brought to the front and written to as one. */
    private static LoweringPlan computed(
            Node node, LoweringContext context, List<Object> items, Value source, boolean adds) {
        TensorFacts known = context.facts(node.input(0));
        int[] picked = IntStream.range(0, items.size())
                .filter(d -> items.get(d) != null)
                .toArray();
        int[] others = IntStream.range(0, known.rank())
                .filter(d -> d >= items.size() || items.get(d) == null)
                .toArray();
        boolean together = picked[picked.length - 1] - picked[0] == picked.length - 1;
        Reason unfit = GatherLowering.notPlaces(context, items, picked);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        int[] shape = GatherLowering.shape(context, items, picked);
        int many = Arrays.stream(picked).map(known::size).reduce(1, Math::multiplyExact);
        int inner = Math.toIntExact(known.count() / many);
        int count = Arrays.stream(shape).reduce(1, Math::multiplyExact);
        long pairs = (long) many * count;
        Reason unfitTable = GatherLowering.unfit(known, shape);
        if (unfitTable != null) {
            return LoweringPlan.refused(unfitTable);
        }
        if (adds) {
            context.requireFloat(node.input(0));
        }
        if (adds && pairs > MAX_PAIRS) {
            return LoweringPlan.refused(
                    "places that are added to are paired with all there are", pairs + " pairs", MAX_PAIRS + " at most");
        }
        return LoweringPlan.unless(unpaired(pairs), () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef places = GatherLowering.flatPlaces(context, known, items, picked, shape, true);
            // What is written has the other dimensions around those of the places where these stand together, and
            // behind
            // them where not.
            int before = together ? picked[0] : 0;
            int[] written = IntStream.concat(
                            IntStream.concat(
                                    Arrays.stream(others).limit(before).map(known::size), Arrays.stream(shape)),
                            Arrays.stream(others).skip(before).map(known::size))
                    .toArray();
            OperandType type = OperandTypes.of(known.dtype());
            OperandRef values = nnapi.cast(
                    context.isConstant(source)
                            ? nnapi.constant(GatherLowering.expanded(context.tensor(source), written)
                                    .contiguous())
                            : Comparisons.full(
                                    nnapi,
                                    context.as(
                                            source,
                                            Shapes.dims(context.facts(source).shape())),
                                    written),
                    type);
            int[] front = IntStream.concat(
                            IntStream.concat(
                                    IntStream.range(before, before + shape.length), IntStream.range(0, before)),
                            IntStream.range(before + shape.length, written.length))
                    .toArray();
            values = nnapi.reshape(Shapes.moved(nnapi, values, written, front), count, inner);
            int[] moves = IntStream.concat(Arrays.stream(picked), Arrays.stream(others))
                    .toArray();
            OperandRef rows =
                    nnapi.reshape(Shapes.moved(nnapi, context.plain(node.input(0)), known.shape(), moves), many, inner);
            OperandRef made;
            if (adds) {
                OperandRef hits = nnapi.cast(
                        GatherLowering.hits(nnapi, nnapi.reshape(places, count, 1), many), OperandType.TENSOR_FLOAT32);
                made = nnapi.add(
                        rows,
                        nnapi.fullyConnected(
                                nnapi.transpose(hits, 1, 0), nnapi.transpose(values, 1, 0), nnapi.zeros(inner)));
            } else {
                made = latest(nnapi, rows, values, places);
            }
            int[] moved = Arrays.stream(moves).map(known::size).toArray();
            int[] back = new int[moves.length];
            for (int d = 0; d < moves.length; d++) {
                back[moves[d]] = d;
            }
            context.shaped(node.output(), Shapes.moved(nnapi, nnapi.reshape(made, Shapes.dims(moved)), moved, back));
        });
    }

    /** Constant places, which broadcast with each other, along some dimensions. */
    private static LoweringPlan constant(Node node, LoweringContext context, List<Object> indices, boolean adds) {
        TensorFacts known = context.facts(node.input(0));
        if (!adds) {
            return ElementGather.plan(node, context, 0, known.rank() - 1, 0, 2);
        }
        int[] values = context.facts(node.input(2)).shape();
        Object[] arguments = ElementGather.arguments(node, context, 0, 2);
        arguments[0] = Tensor.zeros(DType.INT64, known.shape());
        arguments[2] = Tensor.of(new long[] {1}, 1);
        int[] times = ElementGather.from(node, arguments);
        if (Arrays.stream(times).anyMatch(more -> more > 0)) {
            return computed(node, context, indices, node.input(2), true);
        }
        arguments[2] = ElementGather.numbers(1, values);
        int[] from = ElementGather.from(node, arguments);
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef written = nnapi.cast(
                    context.as(node.input(2), Shapes.product(values, 0, values.length)),
                    OperandTypes.of(known.dtype()));
            OperandRef added = ElementGather.picked(nnapi, written, 0, from);
            context.shaped(node.output(), nnapi.add(context.as(node.input(0), from.length), added));
        };
    }

    private static void triangle(Node node, LoweringContext context, boolean lower) {
        TensorFacts known = context.facts(node.input(0));
        int rows = known.size(known.rank() - 2);
        int columns = known.size(known.rank() - 1);
        int offset = integer(node, context, 1, 0);
        boolean[] gone = new boolean[rows * columns];
        for (int i = 0; i < gone.length; i++) {
            int beyond = i % columns - i / columns - offset;
            gone[i] = lower ? beyond > 0 : beyond < 0;
        }
        NnapiBuilder nnapi = context.nnapi();
        OperandRef in = context.as(node.input(0), Math.toIntExact(known.count() / gone.length), gone.length);
        OperandRef zero = nnapi.filled(in, new int[] {1, 1}, 0);
        context.shaped(node.output(), Comparisons.chosen(nnapi, nnapi.truths(gone, 1, gone.length), zero, in));
    }
}
