package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
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
    interface Kernel extends BiFunction<Term, int[], Term> {
    }

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::mean", (node, scope) -> reduce(node, scope, (x, d) -> mean(scope.net(), x, d)));
        table.put("aten::sum", Reductions::sum);
        table.put("aten::prod", (node, scope) -> reduce(node, scope, (x, d) -> scope.net().reduce(OperationType.REDUCE_PROD, x, d)));
        table.put("aten::amax", (node, scope) -> reduce(node, scope, (x, d) -> scope.net().reduce(OperationType.REDUCE_MAX, x, d)));
        table.put("aten::amin", (node, scope) -> reduce(node, scope, (x, d) -> scope.net().reduce(OperationType.REDUCE_MIN, x, d)));
        table.put("aten::norm", Reductions::norm);
        table.put("aten::linalg_vector_norm", Reductions::norm);
        table.put("aten::max", (node, scope) -> extreme(node, scope, OperationType.REDUCE_MAX, OperationType.MAXIMUM));
        table.put("aten::min", (node, scope) -> extreme(node, scope, OperationType.REDUCE_MIN, OperationType.MINIMUM));
        table.put("aten::argmax", (node, scope) -> position(node, scope, OperationType.ARGMAX));
        table.put("aten::argmin", (node, scope) -> position(node, scope, OperationType.ARGMIN));
        table.put("aten::var", Reductions::variance);
        table.put("aten::std", Reductions::variance);
    }

    /** NNAPI cuts off what quantized means have behind the point, PyTorch rounds; over a whole picture the largest window's average is rounded too. */
    private static Term mean(NetBuilder net, Term in, int... dimensions) {
        if (!in.isQuantized()) {
            return net.mean(in, dimensions);
        }
        if (in.rank() == NetBuilder.MAX_RANK && Arrays.equals(dimensions, PICTURE)) {
            Frame whole = Frame.of(new int[] {in.dims()[1], in.dims()[2]}, new int[0], new int[] {0, 0}, new int[] {1, 1});
            return net.windows().pool(OperationType.AVERAGE_POOL_2D, in, whole);
        }
        return net.quantize(net.mean(net.dequantize(in), dimensions), in.scale(), in.zeroPoint());
    }

    private static void sum(Node node, Scope scope) {
        NetBuilder net = scope.net();
        Kernel kernel = (x, d) -> net.reduce(OperationType.REDUCE_SUM, x, d);
        DType from = scope.facts(node.input(0)).dtype();
        boolean whole = OperandTypes.isWhole(from) || OperandTypes.isShort(from);
        if ((from == DType.BOOL || whole) && scope.isFloat(node.output())) {
            reduce(scope, node.output(), node.input(0), dimensions(node, scope), (x, d) -> kernel.apply(net.cast(x, OperandType.TENSOR_FLOAT32), d));
            return;
        }
        if (from != DType.BOOL && !whole || !OperandTypes.isWhole(scope.facts(node.output()).dtype())) {
            reduce(node, scope, kernel);
            return;
        }
        int most = Math.toIntExact(scope.facts(node.input(0)).count() / scope.facts(node.output()).count());
        if (from != DType.BOOL && most > MAX_WHOLE) {
            throw new Refused("sums of whole numbers must stay exact", most + " numbers", MAX_WHOLE + " at most", "sum up real numbers");
        }
        // The halves' sums are exact in float32, as there are few of them.
        reduce(scope, node.output(), node.input(0), dimensions(node, scope), (x, d) -> x.type() == OperandType.TENSOR_BOOL8
            ? net.cast(kernel.apply(net.cast(x, OperandType.TENSOR_FLOAT32), d), OperandType.TENSOR_INT32)
            : WholeNumbers.halves(net, List.of(x), parts -> kernel.apply(parts.get(0), d)));
    }

    private static int[] dimensions(Node node, Scope scope) {
        return node.inputs().size() <= 2 || scope.isNone(node.input(1)) ? new int[0] : scope.integers(node.input(1));
    }

    private static void reduce(Node node, Scope scope, Kernel kernel) {
        boolean all = node.inputs().size() <= 2;
        Value dtype = scope.optional(node, node.inputs().size() - 1);
        if (scope.facts(node.input(0)).quantization() == null) {
            scope.requireFloat(node.input(0));
            scope.requireFloat(node.output());
        }
        if (dtype != null && !all && dtype.type() == Type.Basic.INT && node.inputs().size() == 4
            && DType.ofCode(scope.integer(dtype)) != scope.facts(node.output()).dtype()) {
            throw new Refused("reductions keep the dtype", "a dtype argument", "None", "");
        }
        reduce(scope, node.output(), node.input(0), dimensions(node, scope), kernel);
    }

    /** Dimensions that go leave the others in the order that NNAPI has them. */
    private static int[] left(int[] order, TreeSet<Integer> gone) {
        return Arrays.stream(order).filter(d -> !gone.contains(d)).map(d -> d - gone.headSet(d).size()).toArray();
    }

    /** Reduces PyTorch's dimensions, all if there are none, and keeps those that the result has. */
    static void reduce(Scope scope, Value out, Value in, int[] dimensions, Kernel kernel) {
        TensorFacts known = scope.facts(in);
        TensorFacts to = scope.facts(out);
        TreeSet<Integer> reduced = new TreeSet<>();
        for (int d : dimensions) {
            reduced.add(Scope.dimension(d, known.rank()));
        }
        if (reduced.isEmpty() || known.rank() == 0) {
            scope.define(out, scope.net().reshape(kernel.apply(flat(scope, in), new int[] {0}), Scope.boxed(to.shape())));
            return;
        }
        int[] order = scope.order(in);
        if (known.rank() > NetBuilder.MAX_RANK) {
            int[] places = IntStream.range(0, order.length).filter(i -> reduced.contains(order[i])).toArray();
            boolean neighbours = places[places.length - 1] - places[0] == places.length - 1;
            // What is reduced goes last where it does not lie together.
            int[] kept = neighbours ? order : IntStream.concat(Arrays.stream(order).filter(d -> !reduced.contains(d)), reduced.stream().mapToInt(d -> d)).toArray();
            int first = neighbours ? places[0] : kept.length - places.length;
            Term made = kernel.apply(scope.around(in, kept, first, first + places.length - 1), new int[] {1});
            int[] left = to.rank() == known.rank() ? kept : left(kept, reduced);
            scope.define(out, scope.net().reshape(made, Shapes.dims(Arrays.stream(left).map(to::size).toArray())), left);
            return;
        }
        int[] places = new int[reduced.size()];
        for (int i = 0, at = 0; i < order.length; i++) {
            if (reduced.contains(order[i])) {
                places[at++] = i;
            }
        }
        Term made = kernel.apply(scope.in(in, order), places);
        if (to.rank() == known.rank()) {
            scope.define(out, made, order);
            return;
        }
        int[] left = left(order, reduced);
        scope.define(out, scope.net().reshape(made, Shapes.dims(Arrays.stream(left).map(to::size).toArray())), left);
    }

    private static Term flat(Scope scope, Value in) {
        return scope.as(in, Math.toIntExact(scope.facts(in).count()));
    }

    private static void norm(Node node, Scope scope) {
        double power = scope.isNone(node.input(1)) ? 2 : scope.number(node.input(1));
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.output());
        int[] dimensions = node.inputs().size() > 2 && !scope.isNone(node.input(2)) ? scope.integers(node.input(2)) : new int[0];
        NetBuilder net = scope.net();
        if (power == 2) {
            reduce(scope, node.output(), node.input(0), dimensions,
                (x, d) -> net.root(net.reduce(OperationType.REDUCE_SUM, net.mul(x, x), d)));
        } else if (power == 1) {
            reduce(scope, node.output(), node.input(0), dimensions, (x, d) -> net.reduce(OperationType.REDUCE_SUM, net.unary(OperationType.ABS, x), d));
        } else if (Double.isInfinite(power)) {
            OperationType extreme = power > 0 ? OperationType.REDUCE_MAX : OperationType.REDUCE_MIN;
            reduce(scope, node.output(), node.input(0), dimensions, (x, d) -> net.reduce(extreme, net.unary(OperationType.ABS, x), d));
        } else if (power == 0) {
            reduce(scope, node.output(), node.input(0), dimensions, (x, d) -> net.reduce(OperationType.REDUCE_SUM,
                net.cast(net.test(OperationType.NOT_EQUAL, x, net.number(0)), OperandType.TENSOR_FLOAT32), d));
        } else {
            reduce(scope, node.output(), node.input(0), dimensions, (x, d) -> net.binary(OperationType.POW, net.reduce(OperationType.REDUCE_SUM,
                net.binary(OperationType.POW, net.unary(OperationType.ABS, x), net.number(power)), d), net.number(1 / power)));
        }
    }

    /** Of two tensors, of all elements, or along a dimension with the places. */
    private static void extreme(Node node, Scope scope, OperationType reduction, OperationType pair) {
        if (node.inputs().size() == 2 && node.input(1).type() == Type.Basic.TENSOR) {
            Elementwise.arithmetic(node, scope, (a, b) -> scope.net().binary(pair, a, b));
            return;
        }
        if (Rankings.isWhole(scope, node.input(0))) {
            Integer dimension = node.inputs().size() == 1 ? null : (Integer) scope.integers(node.input(1))[0];
            Rankings.extreme(scope, node.input(0), node.output(0), node.outputs().size() == 2 ? node.output(1) : null, dimension, reduction == OperationType.REDUCE_MAX);
            return;
        }
        scope.requireFloat(node.input(0));
        if (node.inputs().size() == 1) {
            reduce(scope, node.output(), node.input(0), new int[0], (x, d) -> scope.net().reduce(reduction, x, d));
            return;
        }
        int[] dimension = scope.integers(node.input(1));
        if (node.outputs().size() == 2) {
            reduce(scope, node.output(0), node.input(0), dimension, (x, d) -> scope.net().reduce(reduction, x, d));
            if (node.output(1).isUsed()) {
                place(scope, node.output(1), node.input(0), dimension[0], reduction == OperationType.REDUCE_MAX ? OperationType.ARGMAX : OperationType.ARGMIN);
            }
        }
    }

    private static void position(Node node, Scope scope, OperationType type) {
        if (Rankings.isWhole(scope, node.input(0))) {
            Integer dimension = scope.isNone(node.input(1)) ? null : (Integer) Math.toIntExact(scope.integer(node.input(1)));
            Rankings.extreme(scope, node.input(0), null, node.output(), dimension, type == OperationType.ARGMAX);
            return;
        }
        scope.requireFloat(node.input(0));
        if (scope.isNone(node.input(1))) {
            TensorFacts to = scope.facts(node.output());
            scope.define(node.output(), scope.net().position(type, flat(scope, node.input(0)), 0));
            if (to.rank() != 0) {
                throw new Refused("places among all elements have no dimensions", to.toString(), "keepdim=False", "");
            }
            return;
        }
        place(scope, node.output(), node.input(0), Math.toIntExact(scope.integer(node.input(1))), type);
    }

    private static void place(Scope scope, Value out, Value in, int given, OperationType type) {
        TensorFacts known = scope.facts(in);
        int dimension = Scope.dimension(given, known.rank());
        if (known.rank() > NetBuilder.MAX_RANK || known.rank() == 0) {
            throw new Refused("places are found in one to four dimensions", known.toString(), "rank 1 to 4", "");
        }
        int[] order = scope.order(in);
        Term made = scope.net().position(type, scope.in(in, order), Scope.place(order, dimension));
        if (scope.facts(out).rank() == known.rank()) {
            scope.define(out, scope.net().reshape(made, Arrays.stream(order).map(scope.facts(out)::size).toArray()), order);
            return;
        }
        int[] left = Arrays.stream(order).filter(d -> d != dimension).map(d -> d > dimension ? d - 1 : d).toArray();
        scope.define(out, made, left);
    }

    /** {@code mean((x - mean)^2)}, times n / (n - 1) if unbiased. */
    private static void variance(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        boolean dimensions = node.inputs().size() == 4 && node.schema() != null && node.schema().arguments().get(2).name().equals("unbiased");
        if (!dimensions && node.inputs().size() != 2) {
            throw new Refused("variances name their dimensions and whether they are unbiased", node.inputs().size() + " arguments", "var(dim, unbiased)", "");
        }
        int[] given = dimensions && !scope.isNone(node.input(1)) ? scope.integers(node.input(1)) : new int[0];
        boolean unbiased = scope.flag(node.input(dimensions ? 2 : 1));
        double count = (double) scope.facts(node.input(0)).count() / scope.facts(node.output()).count();
        NetBuilder net = scope.net();
        reduce(scope, node.output(), node.input(0), given, (x, d) -> {
            Term centred = net.sub(x, net.mean(x, d));
            Term mean = net.mean(net.mul(centred, centred), d);
            Term spread = unbiased ? net.mul(mean, count / (count - 1)) : mean;
            return node.is("aten::std") ? net.root(spread) : spread;
        });
    }
}
