package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.FuseCode;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Products of matrices of any rank, as FULLY_CONNECTED. A batch of products of two computed tensors is one FULLY_CONNECTED
 * for each, up to a bound, and otherwise a GROUPED_CONV_2D.
 */
public final class Products implements NodeFamily {
    /** More products of one batch than these are one operation. */
    private static final int MAX_BATCH = 512;
    /** Products of single numbers that are made at once, before they are added up. */
    private static final long MAX_TERMS = 1L << 22;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::linear", Products::linear);
        table.put("aten::addmm", Products::addmm);
        table.put("aten::matmul", Products::matmul);
        table.put("aten::mm", Products::matmul);
        table.put("aten::bmm", Products::matmul);
        table.put("aten::baddbmm", Products::baddbmm);
        table.put("aten::_grouped_mm", Products::ofRowGroups);
        table.put("aten::einsum", Einsum::lower);
    }

    private static void linear(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        TensorFacts weight = scope.facts(node.input(1));
        if (weight.rank() != 2) {
            throw new Refused("the weight must be a matrix", weight.toString(), "rank 2", "");
        }
        Value bias = scope.optional(node, 2);
        NetBuilder net = scope.net();
        Term offset = bias == null ? net.zeros(weight.size(0)) : scope.plain(bias);
        Term image = scope.isConstant(node.input(1)) ? scope.flattenedImage(node.input(0)) : null;
        if (image != null && image.count() == image.dims()[0] * weight.size(1)) {
            Rows rows = new Rows(net.reshape(image, image.dims()[0], weight.size(1)), Scope.identity(2));
            define(scope, node.output(), rows, net.constant(channelsLast(scope.tensor(node.input(1)), image.dims())), offset);
            return;
        }
        define(scope, node.output(), rows(scope, node.input(0), weight.size(1)), scope.plain(node.input(1)), offset);
    }

    /** Columns in the order in which an image of N, H, W, C has its elements, instead of N, C, H, W. */
    private static Tensor channelsLast(Tensor weight, int... image) {
        Tensor dense = weight.contiguous();
        int[] sizes = {dense.size(0), image[3], image[1], image[2]};
        Tensor moved = dense.asStrided(sizes, Shape.contiguousStrides(sizes), dense.offset()).permute(0, 2, 3, 1).arranged();
        int[] flat = {dense.size(0), dense.size(1)};
        return moved.asStrided(flat, Shape.contiguousStrides(flat), moved.offset());
    }

    /**
     * A tensor as rows of its last dimension.
     *
     * @param order of the tensor's dimensions, of which the last is last
     */
    private record Rows(Term term, int... order) {}

    /** Rows in the order in which they were computed, as a product is one of each. */
    private static Rows rows(Scope scope, Value value, int size) {
        TensorFacts known = scope.facts(value);
        int last = known.rank() - 1;
        if (known.rank() == 0 || known.size(last) != size) {
            throw new Refused("the sizes must fit", known + " times rows of " + size, "equal sizes", "");
        }
        int[] order = scope.order(value);
        if (order[last] != last) {
            order = Scope.identity(known.rank());
        }
        return new Rows(scope.net().reshape(scope.in(value, order), Math.toIntExact(known.count() / size), size), order);
    }

    private static void define(Scope scope, Value out, Rows rows, Term weights, Term bias) {
        TensorFacts known = scope.facts(out);
        Term made = scope.net().fullyConnected(rows.term(), weights, bias, 0, 0);
        int[] order = Arrays.copyOf(rows.order(), known.rank());
        scope.define(out, scope.net().reshape(made, Shapes.dims(Arrays.stream(order).map(known::size).toArray())), order);
    }

    private static void addmm(Node node, Scope scope) {
        if (scope.number(node.input(3)) != 1 || scope.number(node.input(4)) != 1) {
            throw new Refused("FULLY_CONNECTED adds without factors", "alpha or beta", "1", "");
        }
        scope.requireFloat(node.input(1));
        Tensor bias = scope.tensor(node.input(0));
        if (bias.rank() != 1 || bias.size(0) != scope.facts(node.output()).size(1)) {
            throw new Refused("the bias must have one entry per column", bias.toString(), "rank 1", "");
        }
        Term weights = scope.in(node.input(2), 1, 0);
        define(scope, node.output(), rows(scope, node.input(1), weights.dims()[1]), weights, scope.net().constant(bias));
    }

    private static void matmul(Node node, Scope scope) {
        Value a = node.input(0);
        Value b = node.input(1);
        scope.requireFloat(a);
        scope.requireFloat(b);
        TensorFacts left = scope.facts(a);
        TensorFacts right = scope.facts(b);
        NetBuilder net = scope.net();
        if (right.rank() == 1 && left.rank() >= 1) {
            define(scope, node.output(), rows(scope, a, right.size(0)), scope.as(b, 1, right.size(0)), net.zeros(1));
            return;
        }
        if (right.rank() == 2) {
            Term weights = scope.in(b, 1, 0);
            define(scope, node.output(), rows(scope, a, right.size(0)), weights, net.zeros(weights.dims()[0]));
            return;
        }
        if (left.rank() < 2) {
            throw new Refused("the first factor must be a matrix", left.toString(), "rank 2 or more", "");
        }
        TensorFacts out = scope.facts(node.output());
        int[] many = Arrays.copyOf(out.shape(), Math.max(left.rank(), right.rank()) - 2);
        Term product = batches(net, repeated(net, stacked(scope, a, false), left, many), repeated(net, stacked(scope, b, true), right, many));
        scope.define(node.output(), net.reshape(product, out.rank() > NetBuilder.MAX_RANK ? Shapes.folded(out.shape()) : out.shape()));
    }

    /** Matrices of a batch as often as broadcasting to {@code many} needs them. */
    private static Term repeated(NetBuilder net, Term matrices, TensorFacts known, int... many) {
        int[] own = Arrays.copyOf(known.shape(), known.rank() - 2);
        if (Arrays.equals(own, many)) {
            return matrices;
        }
        Tensor numbers = Tensor.of(IntStream.range(0, matrices.dims()[0]).toArray(), own);
        return net.gather(matrices, 0, net.indices(Arrays.stream(Lookups.expanded(numbers, many).contiguous().toLongArray()).mapToInt(i -> (int) i).toArray()));
    }

    /** A tensor as (batch, rows, columns), or (batch, columns, rows) if turned. */
    private static Term stacked(Scope scope, Value value, boolean turned) {
        TensorFacts known = scope.facts(value);
        int rank = known.rank();
        int rows = known.size(rank - 2);
        int columns = known.size(rank - 1);
        int batch = Math.toIntExact(known.count() / rows / columns);
        NetBuilder net = scope.net();
        if (!turned) {
            return net.reshape(scope.plain(value), batch, rows, columns);
        }
        int[] order = Scope.identity(rank);
        order[rank - 2] = rank - 1;
        order[rank - 1] = rank - 2;
        return net.reshape(scope.in(value, order), batch, columns, rows);
    }

    /** {@code a[i] b[i]^T} for (batch, m, k) and (batch, n, k). */
    static Term batches(NetBuilder net, Term a, Term b) {
        int batch = a.dims()[0];
        if (a.type() != OperandType.TENSOR_FLOAT32) {
            throw new Refused("products take real numbers", a.toString(), "float32", "");
        }
        int m = a.dims()[1];
        int k = a.dims()[2];
        int n = b.dims()[1];
        long terms = (long) batch * m * n * k;
        boolean thin = batch > 1 && (m == 1 || n == 1 || k == 1);
        if (batch > MAX_BATCH && terms > MAX_TERMS) {
            return grouped(net, a, b);
        }
        if (batch > MAX_BATCH || thin && terms <= MAX_TERMS) {
            // Few operations that multiply all with all, rather than many small ones.
            Term each = net.mul(net.reshape(a, batch, m, 1, k), net.reshape(b, batch, 1, n, k));
            return net.reshape(k == 1 ? each : net.reduce(OperationType.REDUCE_SUM, each, 3), batch, m, n);
        }
        List<Term> parts = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            Term left = net.reshape(net.slice(a, 0, i, i + 1, 1), m, k);
            Term right = net.reshape(net.slice(b, 0, i, i + 1, 1), n, k);
            parts.add(net.fullyConnected(left, right, net.zeros(n), 0, 0));
        }
        return net.reshape(net.concatenate(parts, 0), batch, m, n);
    }

    /** {@link #batches} as a convolution of a column of m pixels, whose groups of k channels meet n filters of one pixel each. */
    private static Term grouped(NetBuilder net, Term a, Term b) {
        int batch = a.dims()[0];
        int m = a.dims()[1];
        int k = a.dims()[2];
        int n = b.dims()[1];
        if (!net.has(OperationType.GROUPED_CONV_2D)) {
            throw new Refused("a large batch of products is a GROUPED_CONV_2D", batch + " products", "at most " + MAX_BATCH, "convert for Android 10 or later");
        }
        Frame pixel = Frame.of(new int[] {1}, new int[] {1}, new int[] {0}, new int[] {1});
        Term image = net.reshape(net.transpose(a, 1, 0, 2), 1, m, 1, Math.multiplyExact(batch, k));
        Term filters = net.reshape(b, Math.multiplyExact(batch, n), 1, 1, k);
        Term made = net.windows().convolution(image, filters, net.zeros(batch * n), pixel, batch, false, FuseCode.NONE, 0, 0);
        return net.transpose(net.reshape(made, m, batch, n), 1, 0, 2);
    }

    /**
     * Each group of rows times a matrix of its own, groups ending where a tensor says: rows stand in as many columns as there are matrices, all but
     * those of their own matrix zero, and all matrices under each other are one.
     */
    private static void ofRowGroups(Node node, Scope scope) {
        TensorFacts left = scope.facts(node.input(0));
        TensorFacts right = scope.facts(node.input(1));
        Value ends = scope.optional(node, 2);
        if (ends == null || left.rank() != 2 || right.rank() != 3) {
            throw new Refused("groups are of rows, and each has a matrix", left + " times " + right, "rank 2 times rank 3, with ends of groups", "");
        }
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.output());
        int rows = left.size(0);
        int inner = left.size(1);
        int groups = right.size(0);
        NetBuilder net = scope.net();
        Term row = net.constant(Tensor.of(IntStream.range(0, rows).toArray(), rows, 1));
        Term end = net.reshape(net.cast(scope.plain(ends), OperandType.TENSOR_INT32), 1, groups);
        Term before = net.cast(net.test(OperationType.LESS, row, end), OperandType.TENSOR_FLOAT32);
        Term own = groups == 1 ? before
            : net.sub(before, net.concatenate(List.of(net.filled(before, new int[] {rows, 1}, 0), net.slice(before, 1, 0, groups - 1, 1)), 1));
        Term spread = net.mul(net.reshape(scope.plain(node.input(0)), rows, 1, inner), net.reshape(own, rows, groups, 1));
        Term matrices = net.reshape(scope.in(node.input(1), 2, 0, 1), right.size(2), Math.multiplyExact(groups, inner));
        scope.define(node.output(), net.fullyConnected(net.reshape(spread, rows, groups * inner), matrices, net.zeros(right.size(2)), 0, 0));
    }

    private static void baddbmm(Node node, Scope scope) {
        if (scope.number(node.input(3)) != 0) {
            throw new Refused("products of batches add nothing", "beta " + scope.number(node.input(3)), "0", "");
        }
        Term product = batches(scope.net(), stacked(scope, node.input(1), false), stacked(scope, node.input(2), true));
        double alpha = scope.number(node.input(4));
        scope.define(node.output(), alpha == 1 ? product : scope.net().mul(product, alpha));
    }
}
