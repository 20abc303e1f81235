package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * What is written or added to places: a product with a matrix that has 1 where a source goes to a target, as NNAPI has no scatter.
 * Bags of rows are such sums as well.
 */
final class Gatherings implements NodeFamily {
    /** Larger matrices of sources and targets are no gain. */
    private static final long MAX_PAIRS = 1L << 22;
    /** Stands below whatever a largest element may be. */
    private static final double LEAST = 1e30;
    private static final int SUM = 0;
    private static final int MEAN = 1;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::embedding_bag", Gatherings::bag);
        table.put("quantized::embedding_bag_byte", Gatherings::packedBag);
        table.put("quantized::embedding_bag_4bit", Gatherings::packedBag);
        table.put("aten::scatter", (node, scope) -> scatter(node, scope, false));
        table.put("aten::scatter_add", (node, scope) -> scatter(node, scope, true));
        table.put("aten::index_add", Gatherings::indexAdd);
        table.put("aten::scatter_reduce", Gatherings::scatterReduce);
    }

    private static void requireFew(long pairs) {
        if (pairs > MAX_PAIRS) {
            throw new Refused("sources and targets are paired", pairs + " pairs", MAX_PAIRS + " at most", "");
        }
    }

    private static Object places(Scope scope, Value value) {
        if (!OperandTypes.isWhole(scope.facts(value).dtype())) {
            throw new Refused("places are whole numbers", scope.facts(value).toString(), "int64 or int32", "");
        }
        return scope.isConstant(value) ? scope.tensor(value) : value;
    }

    private static void bag(Node node, Scope scope) {
        if (node.outputs().stream().skip(1).anyMatch(Value::isUsed)) {
            throw new Refused("bags give their sums only", "offset2bag, bag_size or max_indices", "only the first result used", "");
        }
        Value indices = node.input(1);
        int count = Math.toIntExact(scope.facts(indices).count());
        TensorFacts to = scope.facts(node.output(0));
        int bags = to.size(0);
        int width = to.size(1);
        int mode = Math.toIntExact(scope.integer(node.input(4)));
        requireFew((long) bags * count * (mode > MEAN ? width : 1));
        NetBuilder net = scope.net();
        Term rows = net.reshape(Lookups.rows(scope, node.input(0), indices), count, width);
        if (scope.optional(node, 6) != null) {
            rows = net.mul(rows, scope.as(node.input(6), count, 1));
        }
        Term members = members(scope, node.input(2), bags, count);
        long padding = node.inputs().size() > 8 && !scope.isNone(node.input(8)) ? scope.integer(node.input(8)) : -1;
        if (padding >= 0) {
            Term kept = net.test(OperationType.NOT_EQUAL, Lookups.real(scope, places(scope, indices), 1, count), net.number(padding));
            members = net.mul(members, net.cast(kept, OperandType.TENSOR_FLOAT32));
        }
        Term size = mode == SUM ? null : net.reduce(OperationType.REDUCE_SUM, members, 1);
        if (mode <= MEAN) {
            Term sum = net.fullyConnected(members, net.transpose(rows, 1, 0), net.zeros(width), 0, 0);
            scope.define(node.output(0), mode == SUM ? sum : net.div(sum, net.binary(OperationType.MAXIMUM, size, net.number(1))));
            return;
        }
        Term apart = net.mul(net.add(net.reshape(members, bags, count, 1), -1), LEAST);
        Term largest = net.reshape(net.reduce(OperationType.REDUCE_MAX, net.add(net.reshape(rows, 1, count, width), apart), 1), bags, width);
        scope.define(node.output(0), net.mul(largest, net.binary(OperationType.MINIMUM, size, net.number(1))));
    }

    /** Sums of rows of 8-bit numbers; the rows of two-dimensional indices are bags. */
    private static void packedBag(Node node, Scope scope) {
        if (scope.optional(node, 7) != null) {
            throw new Refused("tables have all of their rows", "compressed_indices_mapping", "None", "");
        }
        TensorFacts indices = scope.facts(node.input(1));
        int count = Math.toIntExact(indices.count());
        TensorFacts to = scope.facts(node.output());
        requireFew((long) to.size(0) * count);
        NetBuilder net = scope.net();
        Term rows = net.reshape(Lookups.packedRows(scope, node.input(0), node.input(1)), count, to.size(1));
        if (scope.optional(node, 6) != null) {
            rows = net.mul(rows, scope.as(node.input(6), count, 1));
        }
        Term members;
        if (indices.rank() == 2) {
            long[] starts = IntStream.range(0, to.size(0)).mapToLong(b -> (long) b * indices.size(1)).toArray();
            members = members(net, starts, to.size(0), count);
        } else {
            members = members(scope, node.input(2), to.size(0), count);
        }
        scope.define(node.output(), net.fullyConnected(members, net.transpose(rows, 1, 0), net.zeros(to.size(1)), 0, 0));
    }

    private static Term members(NetBuilder net, long[] from, int bags, int count) {
        float[] out = new float[bags * count];
        for (int b = 0; b < bags; b++) {
            Arrays.fill(out, b * count + (int) from[b], b * count + (int) (b + 1 < from.length ? from[b + 1] : count), 1);
        }
        return net.floats(out, bags, count);
    }

    /** 1 where an index, from its bag's offset on and before the next one's, belongs to a bag. */
    private static Term members(Scope scope, Value offsets, int bags, int count) {
        NetBuilder net = scope.net();
        if (scope.isConstant(offsets)) {
            return members(net, scope.tensor(offsets).toLongArray(), bags, count);
        }
        int given = scope.facts(offsets).size(0);
        Term all = Lookups.real(scope, places(scope, offsets), given);
        Term end = net.floats(new float[] {count}, 1);
        Term ends = given > bags ? net.slice(all, 0, 1, given, 1) : bags == 1 ? end : net.concatenate(List.of(net.slice(all, 0, 1, given, 1), end), 0);
        Term at = iota(net, 1, count);
        Term after = net.test(OperationType.GREATER_EQUAL, at, net.reshape(net.slice(all, 0, 0, bags, 1), bags, 1));
        Term before = net.test(OperationType.LESS, at, net.reshape(ends, bags, 1));
        return net.cast(net.test(OperationType.LOGICAL_AND, after, before), OperandType.TENSOR_FLOAT32);
    }

    private static Term iota(NetBuilder net, int... dims) {
        int count = Arrays.stream(dims).reduce(1, Math::multiplyExact);
        float[] all = new float[count];
        for (int i = 0; i < count; i++) {
            all[i] = i;
        }
        return net.floats(all, dims);
    }

    /** The order of dimensions that has {@code dimension} last. */
    static int[] last(int rank, int dimension) {
        return IntStream.concat(IntStream.range(0, rank).filter(d -> d != dimension), IntStream.of(dimension)).toArray();
    }

    private static void scatter(Node node, Scope scope, boolean adds) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts index = scope.facts(node.input(2));
        if (node.inputs().size() != 4) {
            throw new Refused("scatter writes or adds", "a reduction", "none", "");
        }
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        boolean fits = known.rank() >= 1 && known.rank() <= NetBuilder.MAX_RANK;
        for (int d = 0; fits && d < known.rank(); d++) {
            fits = d == dimension || known.size(d) == index.size(d);
        }
        boolean real = scope.isFloat(node.input(0));
        boolean source = Lookups.isTensor(scope, node.input(3));
        if (!fits || source && scope.facts(node.input(3)).dtype() != known.dtype() || source && !Arrays.equals(scope.facts(node.input(3)).shape(), index.shape())) {
            throw new Refused("scatter's tensors have equal sizes but along its dimension", known + " and " + index, "equal sizes", "");
        }
        int targets = known.size(dimension);
        int sources = index.size(dimension);
        int outer = Math.toIntExact(known.count() / targets);
        requireFew((long) outer * targets * sources);
        int[] order = last(known.rank(), dimension);
        NetBuilder net = scope.net();
        if (!real && outer == 1 && !adds && source && known.dtype() != DType.BOOL) {
            Term places = net.reshape(net.cast(scope.plain(node.input(2)), OperandType.TENSOR_FLOAT32), sources);
            Term rows = net.reshape(scope.plain(node.input(0)), targets, 1);
            Term values = net.reshape(scope.plain(node.input(3)), sources, 1);
            scope.define(node.output(), net.reshape(Placements.latest(net, rows, values, places), known.shape()));
            return;
        }
        Term self = net.cast(net.reshape(scope.in(node.input(0), order), outer, targets), OperandType.TENSOR_FLOAT32);
        places(scope, node.input(2));
        Term places = net.reshape(net.cast(scope.in(node.input(2), order), OperandType.TENSOR_FLOAT32), outer, sources, 1);
        Term hits = Lookups.hits(net, places, targets);
        Term written = source ? net.tile(net.reshape(net.cast(scope.in(node.input(3), order), OperandType.TENSOR_FLOAT32), outer, sources, 1), 1, 1, targets)
            : net.tile(net.floats(new float[] {(float) scope.number(node.input(3))}, 1, 1, 1), outer, sources, targets);
        if (source && !adds && !isDistinct(scope, node.input(2), dimension)) {
            hits = last(net, hits, outer, sources, targets);
        }
        // Chosen rather than multiplied, as 0 times an infinity is no number.
        Term chosen = net.select(hits, written, net.tile(net.floats(new float[1], 1, 1, 1), outer, sources, targets));
        Term sum = net.reshape(net.reduce(OperationType.REDUCE_SUM, chosen, 1), outer, targets);
        Term made = sum;
        if (adds) {
            made = net.add(self, sum);
        } else {
            Term any = net.reshape(net.reduce(OperationType.REDUCE_MAX, net.cast(hits, OperandType.TENSOR_FLOAT32), 1), outer, targets);
            Term value = source ? sum : net.tile(net.floats(new float[] {(float) scope.number(node.input(3))}, 1, 1), outer, targets);
            made = net.select(net.test(OperationType.GREATER, any, net.number(0)), value, self);
        }
        boolean exact = net.isExact(scope.in(node.input(0), order)) && (source ? net.isExact(scope.in(node.input(3), order))
            : Math.abs(scope.number(node.input(3))) < WholeNumbers.EXACT) && !adds;
        boolean small = adds && Bounds.of(node.input(0), scope).magnitude() + sources * Bounds.of(node.input(3), scope).magnitude() < WholeNumbers.EXACT;
        if (!real && !(known.dtype() == DType.BOOL) && !exact && !small) {
            throw new Refused("scatter takes real numbers, truth values and whole numbers that float32 holds", known.toString(), "float32 or bool", "");
        }
        Term typed = net.cast(made, OperandTypes.of(known.dtype()));
        scope.define(node.output(), net.reshape(typed, Arrays.stream(order).map(known::size).toArray()), order);
    }

    /** Whether no place comes twice along a dimension. */
    private static boolean isDistinct(Scope scope, Value index, int dimension) {
        TensorFacts known = scope.facts(index);
        if (known.size(dimension) == 1) {
            return true;
        }
        if (scope.isConstant(index)) {
            int size = known.size(dimension);
            int inner = Activations.inner(known, dimension);
            long[] places = scope.tensor(index).toLongArray();
            return IntStream.range(0, places.length / size).allMatch(row -> IntStream.range(0, size)
                .mapToLong(i -> places[(row / inner * size + i) * inner + row % inner]).distinct().count() == size);
        }
        Node made = index.definition();
        if (made != null && made.is("aten::unsqueeze")) {
            int added = Scope.dimension(scope.integer(made.input(1)), known.rank());
            return added != dimension && isDistinct(scope, made.input(0), dimension > added ? dimension - 1 : dimension);
        }
        if (made != null && made.is("aten::expand")) {
            TensorFacts from = scope.facts(made.input(0));
            int own = dimension - known.rank() + from.rank();
            return own >= 0 && from.size(own) == known.size(dimension) && isDistinct(scope, made.input(0), own);
        }
        boolean ranks = made != null && (made.is("aten::topk") || made.is("aten::sort")) && made.output(1) == index;
        return ranks && Scope.dimension(scope.integer(made.input(made.is("aten::topk") ? 2 : made.inputs().size() - 2)), known.rank()) == dimension;
    }

    /** Of sources that hit one target the last, (outer, sources, targets). */
    private static Term last(NetBuilder net, Term hits, int outer, int sources, int targets) {
        float[] numbers = new float[sources];
        for (int i = 0; i < sources; i++) {
            numbers[i] = 1 + i;
        }
        Term numbered = net.mul(net.cast(hits, OperandType.TENSOR_FLOAT32), net.floats(numbers, 1, sources, 1));
        Term latest = net.reshape(net.reduce(OperationType.REDUCE_MAX, numbered, 1), outer, 1, targets);
        return net.test(OperationType.LOGICAL_AND, hits, net.test(OperationType.EQUAL, numbered, latest));
    }

    /** The sum, the mean, the largest or the smallest of what goes to each place, and of what was there if that counts. */
    private static void scatterReduce(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts index = scope.facts(node.input(2));
        int rank = known.rank();
        int dimension = Scope.dimension(scope.integer(node.input(1)), Math.max(1, rank));
        String reduction = String.valueOf(scope.constant(node.input(4)));
        boolean keeps = node.inputs().size() < 6 || scope.flag(node.input(5));
        boolean fits = rank >= 1 && rank <= NetBuilder.MAX_RANK && Arrays.equals(scope.facts(node.input(3)).shape(), index.shape());
        for (int d = 0; fits && d < rank; d++) {
            fits = d == dimension || known.size(d) == index.size(d);
        }
        if (!fits || reduction.equals("prod")) {
            throw new Refused("what is scattered is added up, averaged or compared, in tensors of equal sizes but along its dimension",
                reduction + " of " + known + " and " + index, "sum, mean, amax or amin of equal sizes", "");
        }
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.input(3));
        int targets = known.size(dimension);
        int sources = index.size(dimension);
        int outer = Math.toIntExact(known.count() / targets);
        requireFew((long) outer * targets * sources);
        int[] order = last(rank, dimension);
        NetBuilder net = scope.net();
        Term self = net.reshape(scope.in(node.input(0), order), outer, targets);
        places(scope, node.input(2));
        Term hits = Lookups.hits(net, net.reshape(net.cast(scope.in(node.input(2), order), OperandType.TENSOR_FLOAT32), outer, sources, 1), targets);
        Term written = net.tile(net.reshape(scope.in(node.input(3), order), outer, sources, 1), 1, 1, targets);
        boolean compares = reduction.startsWith("a");
        boolean largest = reduction.equals("amax");
        float none = !compares ? 0 : largest ? -Float.MAX_VALUE : Float.MAX_VALUE;
        Term chosen = net.select(hits, written, net.tile(net.floats(new float[] {none}, 1, 1, 1), outer, sources, targets));
        OperationType operation = !compares ? OperationType.REDUCE_SUM : largest ? OperationType.REDUCE_MAX : OperationType.REDUCE_MIN;
        Term made = net.reshape(net.reduce(operation, chosen, 1), outer, targets);
        Term count = net.reshape(net.reduce(OperationType.REDUCE_SUM, net.cast(hits, OperandType.TENSOR_FLOAT32), 1), outer, targets);
        if (keeps) {
            made = !compares ? net.add(made, self) : net.binary(largest ? OperationType.MAXIMUM : OperationType.MINIMUM, made, self);
        }
        if (reduction.equals("mean")) {
            Term all = keeps ? net.add(count, 1) : count;
            made = net.div(made, net.select(net.test(OperationType.GREATER, all, net.number(0)), all, net.tile(net.floats(new float[] {1}, 1, 1), outer, targets)));
        }
        Term result = keeps ? made : net.select(net.test(OperationType.GREATER, count, net.number(0)), made, self);
        scope.define(node.output(), net.reshape(result, Arrays.stream(order).map(known::size).toArray()), order);
    }

    private static void indexAdd(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts source = scope.facts(node.input(3));
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.input(3));
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        if (known.rank() > NetBuilder.MAX_RANK) {
            throw new Refused("rows are added to in four dimensions at most", known.toString(), "rank 4 or less", "");
        }
        int targets = known.size(dimension);
        int sources = source.size(dimension);
        requireFew((long) targets * sources);
        int[] order = last(known.rank(), dimension);
        int inner = Math.toIntExact(known.count() / targets);
        NetBuilder net = scope.net();
        Term pairs = net.cast(net.test(OperationType.EQUAL, iota(net, targets, 1), Lookups.real(scope, places(scope, node.input(2)), 1, sources)),
            OperandType.TENSOR_FLOAT32);
        Term rows = net.reshape(scope.in(node.input(3), order), inner, sources);
        double alpha = node.inputs().size() > 4 ? scope.number(node.input(4)) : 1;
        Term sum = net.fullyConnected(alpha == 1 ? rows : net.mul(rows, alpha), pairs, net.zeros(targets), 0, 0);
        Term made = net.add(net.reshape(scope.in(node.input(0), order), inner, targets), sum);
        scope.define(node.output(), net.reshape(made, Arrays.stream(order).map(known::size).toArray()), order);
    }
}
