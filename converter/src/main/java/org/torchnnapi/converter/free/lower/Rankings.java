package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** The largest elements in order, whole orders, and running sums. */
final class Rankings implements NodeFamily {
    /** Running sums of more elements than this add halves to each other instead of multiplying with a triangle of ones. */
    private static final int MAX_TRIANGLE = 256;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::topk", (node, scope) -> rank(node, scope, node.output(0), node.output(1), scope.integer(node.input(2)), scope.flag(node.input(3))));
        table.put("aten::sort", (node, scope) -> {
            int first = node.inputs().size() - 2;
            rank(node, scope, node.output(0), node.output(1), scope.integer(node.input(first)), scope.flag(node.input(first + 1)));
        });
        table.put("aten::argsort", (node, scope) -> {
            int first = node.inputs().size() - 2;
            rank(node, scope, null, node.output(), scope.integer(node.input(first)), scope.flag(node.input(first + 1)));
        });
        table.put("aten::kthvalue", (node, scope) -> placed(node, scope, Math.toIntExact(scope.integer(node.input(1))), scope.integer(node.input(2))));
        table.put("aten::median", Rankings::median);
        table.put("aten::cumsum", Rankings::runningSum);
        table.put("aten::cumprod", (node, scope) -> running(node, scope, 1, (a, b) -> scope.net().mul(a, b)));
        table.put("aten::cummax", (node, scope) -> running(node, scope, Double.NEGATIVE_INFINITY, (a, b) -> scope.net().binary(OperationType.MAXIMUM, a, b)));
        table.put("aten::cummin", (node, scope) -> running(node, scope, Double.POSITIVE_INFINITY, (a, b) -> scope.net().binary(OperationType.MINIMUM, a, b)));
        table.put("aten::logcumsumexp", (node, scope) -> running(node, scope, Double.NEGATIVE_INFINITY, (a, b) -> logOfSum(scope.net(), a, b)));
    }

    private static int[] order(TensorFacts known, int dimension) {
        if (known.rank() > NetBuilder.MAX_RANK || known.rank() == 0) {
            throw new Refused("tensors of one to four dimensions are ranked and summed up", known.toString(), "rank 1 to 4", "");
        }
        return Gatherings.last(known.rank(), dimension);
    }

    private static void rank(Node node, Scope scope, Value values, Value places, long given, boolean largest) {
        TensorFacts known = scope.facts(node.input(0));
        int[] order = order(known, Scope.dimension(given, known.rank()));
        NetBuilder net = scope.net();
        boolean whole = isWhole(scope, node.input(0));
        if (!whole) {
            scope.requireFloat(node.input(0));
        }
        Term in = scope.in(node.input(0), order);
        int count = scope.facts(places).size(order[order.length - 1]);
        // Of whole numbers -1 - x, as the least has no negative.
        UnaryOperator<Term> reversed = x -> whole ? net.sub(net.indices(-1), x) : net.unary(OperationType.NEG, x);
        Term[] made = net.largest(largest ? in : reversed.apply(in), count);
        if (values != null && values.isUsed()) {
            scope.define(values, largest ? made[0] : reversed.apply(made[0]), order);
        }
        if (places.isUsed()) {
            scope.define(places, made[1], order);
        }
    }

    /** The {@code k}-th smallest element along a dimension, and its place. */
    private static void placed(Node node, Scope scope, int k, long given) {
        TensorFacts known = scope.facts(node.input(0));
        int[] order = order(known, Scope.dimension(given, known.rank()));
        scope.requireFloat(node.input(0));
        NetBuilder net = scope.net();
        Term[] made = net.largest(net.unary(OperationType.NEG, scope.in(node.input(0), order)), k);
        int last = order.length - 1;
        boolean kept = scope.facts(node.output(0)).rank() == known.rank();
        int[] left = kept ? order : Arrays.stream(order).limit(last).map(d -> d > order[last] ? d - 1 : d).toArray();
        Term[] parts = {net.unary(OperationType.NEG, made[0]), made[1]};
        for (int i = 0; i < parts.length; i++) {
            if (node.output(i).isUsed()) {
                Term part = net.slice(parts[i], last, k - 1, k, 1);
                int[] dims = Arrays.stream(left).map(scope.facts(node.output(i))::size).toArray();
                scope.define(node.output(i), net.reshape(part, Scope.boxed(dims)), left);
            }
        }
    }

    static boolean isWhole(Scope scope, Value value) {
        DType dtype = scope.facts(value).dtype();
        return OperandTypes.isWhole(dtype) || OperandTypes.isShort(dtype);
    }

    /**
     * The largest or smallest of whole numbers, for which NNAPI has no reduction, and where the first one stands.
     *
     * @param values    null where nobody asks for them
     * @param places    null where nobody asks for them
     * @param dimension null for all elements
     */
    static void extreme(Scope scope, Value in, Value values, Value places, Integer dimension, boolean largest) {
        TensorFacts known = scope.facts(in);
        NetBuilder net = scope.net();
        int[] order = dimension == null ? null : order(known, Scope.dimension(dimension, known.rank()));
        Term given = order == null ? scope.as(in, Math.toIntExact(known.count())) : scope.in(in, order);
        // -1 - x, as the least has no negative.
        Term[] made = net.largest(largest ? given : net.sub(net.indices(-1), given), 1);
        Term[] parts = {largest ? made[0] : net.sub(net.indices(-1), made[0]), made[1]};
        Value[] outs = {values, places};
        for (int i = 0; i < outs.length; i++) {
            if (outs[i] == null || !outs[i].isUsed()) {
                continue;
            }
            TensorFacts to = scope.facts(outs[i]);
            if (order == null || to.rank() == 0) {
                scope.define(outs[i], net.reshape(parts[i], Scope.boxed(to.shape())));
            } else if (to.rank() == known.rank()) {
                scope.define(outs[i], parts[i], order);
            } else {
                int gone = order[order.length - 1];
                int[] left = Arrays.stream(order).limit(order.length - 1L).map(d -> d > gone ? d - 1 : d).toArray();
                scope.define(outs[i], net.reshape(parts[i], Arrays.stream(left).map(to::size).toArray()), left);
            }
        }
    }

    /** The lower one of two in the middle. */
    private static void median(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        if (node.inputs().size() > 1) {
            placed(node, scope, (known.size(Scope.dimension(scope.integer(node.input(1)), known.rank())) + 1) / 2, scope.integer(node.input(1)));
            return;
        }
        scope.requireFloat(node.input(0));
        NetBuilder net = scope.net();
        int count = Math.toIntExact(known.count());
        int k = (count + 1) / 2;
        Term least = net.largest(net.unary(OperationType.NEG, scope.as(node.input(0), count)), k)[0];
        scope.define(node.output(), net.unary(OperationType.NEG, net.slice(least, 0, k - 1, k, 1)));
    }

    /** Running products, extremes, of which the places may be asked for, and logarithms of sums. */
    private static void running(Node node, Scope scope, double neutral, BinaryOperator<Term> join) {
        TensorFacts known = scope.facts(node.input(0));
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.output(0));
        int[] order = order(known, Scope.dimension(scope.integer(node.input(1)), known.rank()));
        int size = known.size(order[order.length - 1]);
        NetBuilder net = scope.net();
        int[] dims = Arrays.stream(order).map(known::size).toArray();
        Term rows = net.reshape(scope.in(node.input(0), order), Math.toIntExact(known.count() / size), size);
        Term made = doubling(net, rows, size, neutral, join);
        scope.define(node.output(0), net.reshape(made, dims), order);
        if (node.outputs().size() > 1 && node.output(1).isUsed()) {
            Term places = places(net, rows, made, size);
            scope.define(node.output(1), net.cast(net.reshape(places, dims), OperandType.TENSOR_INT32), order);
        }
    }

    /** Where running extremes stand: an element that is the extreme up to itself has its place, and the last of those counts. */
    private static Term places(NetBuilder net, Term rows, Term extremes, int size) {
        float[] numbers = new float[size];
        for (int i = 0; i < size; i++) {
            numbers[i] = i;
        }
        Term own = net.cast(net.test(OperationType.EQUAL, rows, extremes), OperandType.TENSOR_FLOAT32);
        return doubling(net, net.mul(own, net.floats(numbers, 1, size)), size, 0, (a, b) -> net.binary(OperationType.MAXIMUM, a, b));
    }

    /** {@code log(exp(a) + exp(b))}; equal numbers are no distance apart, infinite ones too. */
    private static Term logOfSum(NetBuilder net, Term a, Term b) {
        Term apart = net.test(OperationType.NOT_EQUAL, a, b);
        Term distance = net.select(apart, net.unary(OperationType.ABS, net.sub(a, b)), net.filled(a, a.dims(), 0));
        Term rest = net.unary(OperationType.LOG, net.add(net.unary(OperationType.EXP, net.unary(OperationType.NEG, distance)), 1));
        return net.add(net.binary(OperationType.MAXIMUM, a, b), rest);
    }

    private static void runningSum(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        int[] order = order(known, dimension);
        int size = known.size(dimension);
        NetBuilder net = scope.net();
        Term given = scope.in(node.input(0), order);
        boolean whole = given.type() == OperandType.TENSOR_INT32;
        if (whole && size > MAX_TRIANGLE) {
            throw new Refused("running sums of whole numbers must stay exact", known.toString(), MAX_TRIANGLE + " elements at most", "sum up real numbers");
        }
        UnaryOperator<Term> sums = x -> {
            Term rows = net.reshape(x, Math.toIntExact(known.count() / size), size);
            Term made = size <= MAX_TRIANGLE ? net.fullyConnected(rows, triangle(net, size), net.zeros(size), 0, 0) : doubling(net, rows, size, 0, net::add);
            return net.reshape(made, Arrays.stream(order).map(known::size).toArray());
        };
        // The halves' sums are exact in float32, as there are few of them.
        Term made = whole ? WholeNumbers.halves(net, List.of(given), parts -> sums.apply(parts.get(0))) : sums.apply(net.cast(given, OperandType.TENSOR_FLOAT32));
        scope.define(node.output(), net.cast(made, OperandTypes.of(to.dtype())), order);
    }

    private static Term triangle(NetBuilder net, int size) {
        float[] ones = new float[size * size];
        for (int row = 0; row < size; row++) {
            Arrays.fill(ones, row * size, row * size + row + 1, 1);
        }
        return net.floats(ones, size, size);
    }

    /** Joins what stands 1, 2, 4, .. places before. */
    private static Term doubling(NetBuilder net, Term rows, int size, double neutral, BinaryOperator<Term> join) {
        Term sum = rows;
        for (int step = 1; step < size; step *= 2) {
            Term moved = net.concatenate(List.of(net.filled(rows, new int[] {rows.dims()[0], step}, neutral), net.slice(sum, 1, 0, size - step, 1)), 1);
            sum = join.apply(sum, moved);
        }
        return sum;
    }
}
