package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** Operators that are a few of NNAPI's operations each. */
final class Compositions implements NodeFamily {
    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::sign", (node, scope) -> Elementwise.apply(node, scope, x -> sign(scope.net(), x)));
        table.put("aten::trunc", (node, scope) -> Elementwise.apply(node, scope, x -> truncated(scope.net(), x)));
        table.put("aten::round", (node, scope) -> {
            double scale = node.inputs().size() > 1 ? Math.pow(10, scope.integer(node.input(1))) : 1;
            Elementwise.apply(node, scope, x -> scale == 1 ? Warps.nearest(scope.net(), x)
                : scope.net().div(Warps.nearest(scope.net(), scope.net().mul(x, scale)), scope.net().number(scale)));
        });
        table.put("aten::tan", (node, scope) -> Elementwise.apply(node, scope, x -> scope.net().div(scope.net().unary(OperationType.SIN, x),
            scope.net().unary(OperationType.SIN, scope.net().add(x, Math.PI / 2)))));
        table.put("aten::addcmul", (node, scope) -> joined(node, scope, false));
        table.put("aten::addcdiv", (node, scope) -> joined(node, scope, true));
        table.put("aten::lerp", Compositions::between);
        table.put("aten::logsumexp", Compositions::logarithmOfSum);
        table.put("aten::any", (node, scope) -> asked(node, scope, OperationType.REDUCE_MAX));
        table.put("aten::all", (node, scope) -> asked(node, scope, OperationType.REDUCE_MIN));
        table.put("aten::movedim", Compositions::moveDimensions);
        table.put("aten::repeat_interleave", Compositions::interleave);
    }

    /** 1, 0 or -1. */
    static Term sign(NetBuilder net, Term x) {
        Term above = net.cast(net.test(OperationType.GREATER, x, net.number(0)), OperandType.TENSOR_FLOAT32);
        return net.sub(above, net.cast(net.test(OperationType.LESS, x, net.number(0)), OperandType.TENSOR_FLOAT32));
    }

    /** Rounded towards 0. */
    static Term truncated(NetBuilder net, Term x) {
        return net.mul(sign(net, x), net.unary(OperationType.FLOOR, net.unary(OperationType.ABS, x)));
    }

    /** The operands of one shape, in PyTorch's order. */
    private static List<Term> operands(Node node, Scope scope, int count) {
        int[] shape = scope.facts(node.output()).shape();
        List<Term> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            scope.requireFloat(node.input(i));
            if (!Arrays.equals(scope.facts(node.input(i)).shape(), shape)) {
                throw new Refused("all operands must have one shape here", scope.facts(node.input(i)).toString(), Arrays.toString(shape), "");
            }
            out.add(scope.plain(node.input(i)));
        }
        return out;
    }

    private static void joined(Node node, Scope scope, boolean divides) {
        List<Term> x = operands(node, scope, 3);
        double value = scope.number(node.input(3));
        NetBuilder net = scope.net();
        Term part = divides ? net.div(x.get(1), x.get(2)) : net.mul(x.get(1), x.get(2));
        scope.define(node.output(), net.add(x.get(0), value == 1 ? part : net.mul(part, value)));
    }

    private static void between(Node node, Scope scope) {
        boolean tensor = Lookups.isTensor(scope, node.input(2));
        List<Term> x = operands(node, scope, tensor ? 3 : 2);
        NetBuilder net = scope.net();
        Term way = net.sub(x.get(1), x.get(0));
        scope.define(node.output(), net.add(x.get(0), tensor ? net.mul(way, x.get(2)) : net.mul(way, scope.number(node.input(2)))));
    }

    /** {@code log(sum(exp(x - max))) + max}, which does not overflow. */
    private static void logarithmOfSum(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        NetBuilder net = scope.net();
        Reductions.reduce(scope, node.output(), node.input(0), scope.integers(node.input(1)), (x, d) -> {
            Term most = net.reduce(OperationType.REDUCE_MAX, x, d);
            return net.add(net.unary(OperationType.LOG, net.reduce(OperationType.REDUCE_SUM, net.unary(OperationType.EXP, net.sub(x, most)), d)), most);
        });
    }

    /** Whether some or all elements of truth values are true. */
    private static void asked(Node node, Scope scope, OperationType reduction) {
        NetBuilder net = scope.net();
        int[] dimensions = node.inputs().size() > 1 ? scope.integers(node.input(1)) : new int[0];
        Reductions.reduce(scope, node.output(), node.input(0), dimensions,
            (x, d) -> net.cast(net.reduce(reduction, net.cast(net.cast(x, OperandType.TENSOR_BOOL8), OperandType.TENSOR_FLOAT32), d), OperandType.TENSOR_BOOL8));
    }

    private static void moveDimensions(Node node, Scope scope) {
        int rank = scope.facts(node.input(0)).rank();
        int[] from = Arrays.stream(scope.integers(node.input(1))).map(d -> Scope.dimension(d, rank)).toArray();
        int[] to = Arrays.stream(scope.integers(node.input(2))).map(d -> Scope.dimension(d, rank)).toArray();
        int[] order = new int[rank];
        Arrays.fill(order, -1);
        for (int i = 0; i < from.length; i++) {
            order[to[i]] = from[i];
        }
        int[] rest = IntStream.range(0, rank).filter(d -> Arrays.stream(from).noneMatch(f -> f == d)).toArray();
        for (int d = 0, at = 0; d < rank; d++) {
            if (order[d] < 0) {
                order[d] = rest[at++];
            }
        }
        Shapes.permute(node, scope, order);
    }

    /** Each element several times, one after the other. */
    private static void interleave(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        long[] times = scope.constant(node.input(1)) instanceof Tensor counts ? counts.toLongArray() : new long[] {scope.integer(node.input(1))};
        boolean flat = scope.isNone(node.input(2));
        int dimension = flat ? 0 : Scope.dimension(scope.integer(node.input(2)), known.rank());
        int size = flat ? Math.toIntExact(known.count()) : known.size(dimension);
        int outer = flat ? 1 : Activations.outer(known, dimension);
        NetBuilder net = scope.net();
        Term rows = scope.as(node.input(0), outer, size, Math.toIntExact(known.count() / outer / size));
        Term made = net.gather(rows, 1, net.indices(IntStream.range(0, size)
            .flatMap(i -> IntStream.generate(() -> i).limit(times[times.length == 1 ? 0 : i])).toArray()));
        scope.define(node.output(), net.reshape(made, Shapes.dims(to.shape())));
    }
}
