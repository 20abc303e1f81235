package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * What is written or added to places: a product with a matrix that has 1 where a source goes to a target, as NNAPI has
 * no scatter. Bags of rows are such sums as well.
 */
final class ScatterLowering implements NodeFamily {
    /** Larger matrices of sources and targets are no gain. */
    private static final long MAX_PAIRS = 1L << 22;
    /** Stands below whatever a largest element may be. */
    private static final double LEAST = 1e30;

    /** What comes last stays. */
    private static final String WRITTEN = "written";

    private static final int SUM = 0;
    private static final int MEAN = 1;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::embedding_bag", ScatterLowering::bag);
        table.plan("quantized::embedding_bag_byte", ScatterLowering::packedBag);
        table.plan("quantized::embedding_bag_4bit", ScatterLowering::packedBag);
        table.plan("aten::scatter", (node, context) -> scatter(node, context, WRITTEN, false));
        table.plan("aten::scatter_add", (node, context) -> scatter(node, context, "sum", true));
        table.plan(
                "aten::scatter_reduce",
                (node, context) -> scatter(
                        node,
                        context,
                        context.text(node.input(4)),
                        node.inputs().size() < 6 || context.flag(node.input(5))));
        table.plan("aten::index_add", ScatterLowering::indexAdd);
    }

    /** Why sources and targets are too many; null where they are few. */
    private static Reason tooMany(long pairs) {
        return pairs <= MAX_PAIRS
                ? null
                : new Reason("sources and targets are paired", pairs + " pairs", MAX_PAIRS + " at most");
    }

    /** Why a tensor holds no places; null where it does. */
    private static Reason notPlaces(LoweringContext context, Value value) {
        TensorFacts known = context.facts(value);
        return OperandTypes.isWhole(known.dtype())
                ? null
                : new Reason("places are whole numbers", known.toString(), "int64 or int32");
    }

    private static Object places(LoweringContext context, Value value) {
        return context.isConstant(value) ? context.tensor(value) : value;
    }

    private static LoweringPlan bag(Node node, LoweringContext context) {
        if (node.outputs().stream().skip(1).anyMatch(Value::isUsed)) {
            return LoweringPlan.refused(
                    "bags give their sums only", "offset2bag, bag_size or max_indices", "only the first result used");
        }
        Value indices = node.input(1);
        int count = Math.toIntExact(context.facts(indices).count());
        TensorFacts to = context.facts(node.output(0));
        int bags = to.size(0);
        int width = to.size(1);
        int mode = context.int32(node.input(4));
        Reason tooMany = tooMany((long) bags * count * (mode > MEAN ? width : 1));
        if (tooMany != null) {
            return LoweringPlan.refused(tooMany);
        }
        Value offsets = node.input(2);
        long padding = node.inputs().size() > 8 && !context.isNone(node.input(8)) ? context.integer(node.input(8)) : -1;
        for (Value places : padding >= 0 ? List.of(indices, offsets) : List.of(offsets)) {
            if (notPlaces(context, places) != null) {
                return LoweringPlan.refused(notPlaces(context, places));
            }
        }
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef rows = nnapi.reshape(GatherLowering.rows(context, node.input(0), indices), count, width);
            if (context.optional(node, 6) != null) {
                rows = nnapi.mul(rows, context.as(node.input(6), count, 1));
            }
            OperandRef members = members(context, offsets, bags, count);
            if (padding >= 0) {
                OperandRef kept = nnapi.test(
                        OperationType.NOT_EQUAL,
                        GatherLowering.real(context, places(context, indices), 1, count),
                        nnapi.number(padding));
                members = nnapi.mul(members, nnapi.cast(kept, OperandType.TENSOR_FLOAT32));
            }
            OperandRef size = mode == SUM ? null : nnapi.reduce(OperationType.REDUCE_SUM, members, 1);
            if (mode <= MEAN) {
                OperandRef sum = nnapi.fullyConnected(members, nnapi.transpose(rows, 1, 0), nnapi.zeros(width));
                context.define(
                        node.output(0),
                        mode == SUM ? sum : nnapi.div(sum, nnapi.binary(OperationType.MAXIMUM, size, nnapi.number(1))));
                return;
            }
            OperandRef apart = nnapi.mul(nnapi.add(nnapi.reshape(members, bags, count, 1), -1), LEAST);
            OperandRef largest = nnapi.reshape(
                    nnapi.reduce(OperationType.REDUCE_MAX, nnapi.add(nnapi.reshape(rows, 1, count, width), apart), 1),
                    bags,
                    width);
            context.define(
                    node.output(0), nnapi.mul(largest, nnapi.binary(OperationType.MINIMUM, size, nnapi.number(1))));
        };
    }

    /** Sums of rows of 8-bit numbers; the rows of two-dimensional indices are bags. */
    private static LoweringPlan packedBag(Node node, LoweringContext context) {
        if (context.optional(node, 7) != null) {
            return LoweringPlan.refused("tables have all of their rows", "compressed_indices_mapping", "None");
        }
        TensorFacts indices = context.facts(node.input(1));
        int count = Math.toIntExact(indices.count());
        TensorFacts to = context.facts(node.output());
        Reason tooMany = tooMany((long) to.size(0) * count);
        if (tooMany != null) {
            return LoweringPlan.refused(tooMany);
        }
        boolean matrix = indices.rank() == 2;
        Reason unfit = matrix ? null : notPlaces(context, node.input(2));
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        return LoweringPlan.unless(GatherLowering.notTable(context, node.input(0)), () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef rows =
                    nnapi.reshape(GatherLowering.packedRows(context, node.input(0), node.input(1)), count, to.size(1));
            if (context.optional(node, 6) != null) {
                rows = nnapi.mul(rows, context.as(node.input(6), count, 1));
            }
            OperandRef members = matrix
                    ? members(
                            nnapi,
                            IntStream.range(0, to.size(0))
                                    .mapToLong(b -> (long) b * indices.size(1))
                                    .toArray(),
                            to.size(0),
                            count)
                    : members(context, node.input(2), to.size(0), count);
            context.define(
                    node.output(), nnapi.fullyConnected(members, nnapi.transpose(rows, 1, 0), nnapi.zeros(to.size(1))));
        });
    }

    private static OperandRef members(NnapiBuilder nnapi, long[] from, int bags, int count) {
        float[] out = new float[bags * count];
        for (int b = 0; b < bags; b++) {
            Arrays.fill(
                    out, b * count + (int) from[b], b * count + (int) (b + 1 < from.length ? from[b + 1] : count), 1);
        }
        return nnapi.floats(out, bags, count);
    }

    /** 1 where an index, from its bag's offset on and before the next one's, belongs to a bag. */
    private static OperandRef members(LoweringContext context, Value offsets, int bags, int count) {
        NnapiBuilder nnapi = context.nnapi();
        if (context.isConstant(offsets)) {
            return members(nnapi, context.tensor(offsets).toLongArray(), bags, count);
        }
        int given = context.facts(offsets).size(0);
        OperandRef all = GatherLowering.real(context, places(context, offsets), given);
        OperandRef end = nnapi.floats(new float[] {count}, 1);
        OperandRef ends = given > bags
                ? nnapi.slice(all, 0, 1, given, 1)
                : bags == 1 ? end : nnapi.concatenate(List.of(nnapi.slice(all, 0, 1, given, 1), end), 0);
        OperandRef at = nnapi.iota(0, 1, count);
        OperandRef after =
                nnapi.test(OperationType.GREATER_EQUAL, at, nnapi.reshape(nnapi.slice(all, 0, 0, bags, 1), bags, 1));
        OperandRef before = nnapi.test(OperationType.LESS, at, nnapi.reshape(ends, bags, 1));
        return nnapi.cast(nnapi.test(OperationType.LOGICAL_AND, after, before), OperandType.TENSOR_FLOAT32);
    }

    /** The order of dimensions that has {@code dimension} last. */
    static int[] last(int rank, int dimension) {
        return IntStream.concat(IntStream.range(0, rank).filter(d -> d != dimension), IntStream.of(dimension))
                .toArray();
    }

    /**
     * What goes to each place, and what was there if that counts, comes to one: the last of what is written, the sum,
     * the mean, the largest or the smallest.
     */
    private static LoweringPlan scatter(Node node, LoweringContext context, String reduction, boolean keeps) {
        TensorFacts known = context.facts(node.input(0));
        TensorFacts index = context.facts(node.input(2));
        int rank = known.rank();
        boolean writes = reduction.equals(WRITTEN);
        if (writes && node.inputs().size() != 4) {
            return LoweringPlan.refused("scatter writes or adds", "a reduction", "none");
        }
        int dimension = context.dimension(node.input(1), Math.max(1, rank));
        boolean source = GatherLowering.isTensor(context, node.input(3));
        boolean fits = rank >= 1
                && rank <= NnapiBuilder.MAX_RANK
                && !reduction.equals("prod")
                && (!source
                        || context.facts(node.input(3)).dtype() == known.dtype()
                                && Arrays.equals(context.facts(node.input(3)).shape(), index.shape()));
        for (int d = 0; fits && d < rank; d++) {
            fits = d == dimension || known.size(d) == index.size(d);
        }
        if (!fits) {
            return LoweringPlan.refused(
                    "what is scattered is written, added up, averaged or compared, in tensors of equal sizes but "
                            + "along its dimension",
                    reduction + " of " + known + " and " + index,
                    "sum, mean, amax or amin of equal sizes");
        }
        boolean real = context.isFloat(node.input(0));
        if (node.is("aten::scatter_reduce")) {
            context.requireFloat(node.input(0));
        }
        int targets = known.size(dimension);
        int sources = index.size(dimension);
        int outer = Math.toIntExact(known.count() / targets);
        Reason tooMany = tooMany((long) outer * targets * sources);
        if (tooMany != null) {
            return LoweringPlan.refused(tooMany);
        }
        int[] order = last(rank, dimension);
        NnapiBuilder nnapi = context.nnapi();
        if (!real && outer == 1 && writes && source && known.dtype() != DType.BOOL) {
            return LoweringPlan.unless(IndexPutLowering.unpaired((long) targets * sources), () -> {
                OperandRef places =
                        nnapi.reshape(nnapi.cast(context.plain(node.input(2)), OperandType.TENSOR_FLOAT32), sources);
                OperandRef rows = nnapi.reshape(context.plain(node.input(0)), targets, 1);
                OperandRef values = nnapi.reshape(context.plain(node.input(3)), sources, 1);
                context.shaped(node.output(), IndexPutLowering.latest(nnapi, rows, values, places));
            });
        }
        if (notPlaces(context, node.input(2)) != null) {
            return LoweringPlan.refused(notPlaces(context, node.input(2)));
        }
        boolean inexact = !real && known.dtype() != DType.BOOL && !isExact(node, context, order, !writes);
        if (inexact) {
            return LoweringPlan.refused(
                    "scatter takes real numbers, truth values and whole numbers that float32 holds",
                    known.toString(),
                    "float32 or bool");
        }
        return () -> {
            OperandRef self = part(context, node.input(0), order, outer, targets);
            OperandRef hits =
                    GatherLowering.hits(nnapi, part(context, node.input(2), order, outer, sources, 1), targets);
            if (writes && source && !isDistinct(context, node.input(2), dimension)) {
                hits = last(nnapi, hits, outer, sources, targets);
            }
            OperandRef written = source
                    ? part(context, node.input(3), order, outer, sources, 1)
                    : nnapi.number(context.number(node.input(3)));
            boolean compares = reduction.startsWith("a");
            boolean largest = reduction.equals("amax");
            float none = !compares ? 0 : largest ? -Float.MAX_VALUE : Float.MAX_VALUE;
            OperationType operation = !compares
                    ? OperationType.REDUCE_SUM
                    : largest ? OperationType.REDUCE_MAX : OperationType.REDUCE_MIN;
            OperandRef times = nnapi.reshape(
                    nnapi.reduce(
                            writes ? OperationType.REDUCE_MAX : OperationType.REDUCE_SUM,
                            nnapi.cast(hits, OperandType.TENSOR_FLOAT32),
                            1),
                    outer,
                    targets);
            // Chosen rather than multiplied, as 0 times an infinity is no number.
            OperandRef made = source
                    ? nnapi.reshape(
                            nnapi.reduce(operation, Comparisons.chosen(nnapi, hits, written, nnapi.number(none)), 1),
                            outer,
                            targets)
                    : written;
            if (keeps) {
                made = !compares
                        ? nnapi.add(made, self)
                        : nnapi.binary(largest ? OperationType.MAXIMUM : OperationType.MINIMUM, made, self);
            }
            if (reduction.equals("mean")) {
                OperandRef all = keeps ? nnapi.add(times, 1) : times;
                made = nnapi.div(
                        made,
                        Comparisons.chosen(
                                nnapi, nnapi.test(OperationType.GREATER, all, nnapi.number(0)), all, nnapi.number(1)));
            }
            OperandRef result = keeps
                    ? made
                    : Comparisons.chosen(nnapi, nnapi.test(OperationType.GREATER, times, nnapi.number(0)), made, self);
            context.shaped(node.output(), nnapi.cast(result, OperandTypes.of(known.dtype())), order);
        };
    }

    /** A tensor in an order of its dimensions, as real numbers. */
    private static OperandRef part(LoweringContext context, Value value, int[] order, int... dims) {
        NnapiBuilder nnapi = context.nnapi();
        return nnapi.reshape(nnapi.cast(context.in(value, order), OperandType.TENSOR_FLOAT32), dims);
    }

    /** Whether float32 holds what comes of whole numbers. */
    private static boolean isExact(Node node, LoweringContext context, int[] order, boolean adds) {
        NnapiBuilder nnapi = context.nnapi();
        if (adds) {
            long sources = context.facts(node.input(2)).size(order[order.length - 1]);
            return Bounds.of(node.input(0), context).magnitude()
                            + sources * Bounds.of(node.input(3), context).magnitude()
                    < WholeNumbers.EXACT;
        }
        return nnapi.isExact(context.in(node.input(0), order))
                && (GatherLowering.isTensor(context, node.input(3))
                        ? nnapi.isExact(context.in(node.input(3), order))
                        : Math.abs(context.number(node.input(3))) < WholeNumbers.EXACT);
    }

    /** Whether no place comes twice along a dimension. */
    private static boolean isDistinct(LoweringContext context, Value index, int dimension) {
        TensorFacts known = context.facts(index);
        if (known.size(dimension) == 1) {
            return true;
        }
        if (context.isConstant(index)) {
            int size = known.size(dimension);
            int inner = Activations.inner(known, dimension);
            long[] places = context.tensor(index).toLongArray();
            return IntStream.range(0, places.length / size)
                    .allMatch(row -> IntStream.range(0, size)
                                    .mapToLong(i -> places[(row / inner * size + i) * inner + row % inner])
                                    .distinct()
                                    .count()
                            == size);
        }
        Node made = index.definition();
        if (made != null && made.is("aten::unsqueeze")) {
            int added = context.dimension(made.input(1), known.rank());
            return added != dimension
                    && isDistinct(context, made.input(0), dimension > added ? dimension - 1 : dimension);
        }
        if (made != null && made.is("aten::expand")) {
            TensorFacts from = context.facts(made.input(0));
            int own = dimension - known.rank() + from.rank();
            return own >= 0 && from.size(own) == known.size(dimension) && isDistinct(context, made.input(0), own);
        }
        boolean ranks = made != null && (made.is("aten::topk") || made.is("aten::sort")) && made.output(1) == index;
        return ranks
                && context.dimension(
                                made.input(
                                        made.is("aten::topk")
                                                ? 2
                                                : made.inputs().size() - 2),
                                known.rank())
                        == dimension;
    }

    /** Of sources that hit one target the last, (outer, sources, targets). */
    private static OperandRef last(NnapiBuilder nnapi, OperandRef hits, int outer, int sources, int targets) {
        OperandRef numbered = nnapi.mul(nnapi.cast(hits, OperandType.TENSOR_FLOAT32), nnapi.iota(1, 1, sources, 1));
        OperandRef latest = nnapi.reshape(nnapi.reduce(OperationType.REDUCE_MAX, numbered, 1), outer, 1, targets);
        return nnapi.test(OperationType.LOGICAL_AND, hits, nnapi.test(OperationType.EQUAL, numbered, latest));
    }

    private static LoweringPlan indexAdd(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        TensorFacts source = context.facts(node.input(3));
        context.requireFloat(node.input(0));
        context.requireFloat(node.input(3));
        int dimension = context.dimension(node.input(1), known.rank());
        if (known.rank() > NnapiBuilder.MAX_RANK) {
            return LoweringPlan.refused(
                    "rows are added to in four dimensions at most", known.toString(), "rank 4 or less");
        }
        int targets = known.size(dimension);
        int sources = source.size(dimension);
        Reason tooMany = tooMany((long) targets * sources);
        if (tooMany != null) {
            return LoweringPlan.refused(tooMany);
        }
        int[] order = last(known.rank(), dimension);
        int inner = Math.toIntExact(known.count() / targets);
        return LoweringPlan.unless(notPlaces(context, node.input(2)), () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef pairs = nnapi.cast(
                    nnapi.test(
                            OperationType.EQUAL,
                            nnapi.iota(0, targets, 1),
                            GatherLowering.real(context, places(context, node.input(2)), 1, sources)),
                    OperandType.TENSOR_FLOAT32);
            OperandRef rows = nnapi.reshape(context.in(node.input(3), order), inner, sources);
            double alpha = node.inputs().size() > 4 ? context.number(node.input(4)) : 1;
            OperandRef sum =
                    nnapi.fullyConnected(alpha == 1 ? rows : nnapi.mul(rows, alpha), pairs, nnapi.zeros(targets));
            OperandRef made = nnapi.add(nnapi.reshape(context.in(node.input(0), order), inner, targets), sum);
            context.shaped(node.output(), made, order);
        });
    }
}
