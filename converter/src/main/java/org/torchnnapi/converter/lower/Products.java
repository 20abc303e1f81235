package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Products of matrices of any rank, as FULLY_CONNECTED. A batch of products of two computed tensors is one
 * FULLY_CONNECTED for each, up to a bound, and otherwise a GROUPED_CONV_2D.
 */
public final class Products implements NodeFamily {
    /** More products of one batch than these are one operation. */
    private static final int MAX_BATCH = 512;
    /** Products of single numbers that are made at once, before they are added up. */
    private static final long MAX_TERMS = 1L << 22;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::linear", Products::linear);
        table.plan("aten::addmm", Products::addmm);
        table.plan("aten::matmul", Products::matmul);
        table.plan("aten::mm", Products::matmul);
        table.plan("aten::bmm", Products::matmul);
        table.plan("aten::baddbmm", Products::baddbmm);
        table.plan("aten::_grouped_mm", Products::ofRowGroups);
        table.plan("aten::einsum", Einsum::plan);
    }

    private static LoweringPlan linear(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        TensorFacts weight = context.facts(node.input(1));
        if (weight.rank() != 2) {
            return LoweringPlan.refused("the weight must be a matrix", weight.toString(), "rank 2");
        }
        if (!fits(context, node.input(0), weight.size(1))) {
            return unfit(context, node.input(0), weight.size(1));
        }
        return () -> {
            Value bias = context.optional(node, 2);
            NnapiBuilder nnapi = context.nnapi();
            OperandRef offset = bias == null ? nnapi.zeros(weight.size(0)) : context.plain(bias);
            OperandRef image = context.isConstant(node.input(1)) ? context.flattenedImage(node.input(0)) : null;
            if (image != null && image.count() == image.dims()[0] * weight.size(1)) {
                Rows rows =
                        new Rows(nnapi.reshape(image, image.dims()[0], weight.size(1)), LoweringContext.identity(2));
                define(
                        context,
                        node.output(),
                        rows,
                        nnapi.constant(channelsLast(context.tensor(node.input(1)), image.dims())),
                        offset);
                return;
            }
            define(
                    context,
                    node.output(),
                    rows(context, node.input(0), weight.size(1)),
                    context.plain(node.input(1)),
                    offset);
        };
    }

    /** Columns in the order in which an image of N, H, W, C has its elements, instead of N, C, H, W. */
    private static Tensor channelsLast(Tensor weight, int... image) {
        Tensor dense = weight.contiguous();
        int[] sizes = {dense.size(0), image[3], image[1], image[2]};
        Tensor moved = dense.asStrided(sizes, Shape.contiguousStrides(sizes), dense.offset())
                .permute(0, 2, 3, 1)
                .arranged();
        int[] flat = {dense.size(0), dense.size(1)};
        return moved.asStrided(flat, Shape.contiguousStrides(flat), moved.offset());
    }

    /**
     * A tensor as rows of its last dimension.
     *
     * @param order of the tensor's dimensions, of which the last is last
     */
    private record Rows(OperandRef term, int... order) {}

    private static boolean fits(LoweringContext context, Value value, int size) {
        TensorFacts known = context.facts(value);
        return known.rank() != 0 && known.size(known.rank() - 1) == size;
    }

    private static LoweringPlan unfit(LoweringContext context, Value value, int size) {
        return LoweringPlan.refused(
                "the sizes must fit", context.facts(value) + " times rows of " + size, "equal sizes");
    }

    /** Rows in the order in which they were computed, as a product is one of each. */
    private static Rows rows(LoweringContext context, Value value, int size) {
        TensorFacts known = context.facts(value);
        int last = known.rank() - 1;
        int[] order = context.order(value);
        if (order[last] != last) {
            order = LoweringContext.identity(known.rank());
        }
        return new Rows(
                context.nnapi().reshape(context.in(value, order), Math.toIntExact(known.count() / size), size), order);
    }

    private static void define(LoweringContext context, Value out, Rows rows, OperandRef weights, OperandRef bias) {
        TensorFacts known = context.facts(out);
        OperandRef made = context.nnapi().fullyConnected(rows.term(), weights, bias);
        int[] order = Arrays.copyOf(rows.order(), known.rank());
        context.shaped(out, made, order);
    }

    private static LoweringPlan addmm(Node node, LoweringContext context) {
        if (context.number(node.input(3)) != 1 || context.number(node.input(4)) != 1) {
            return LoweringPlan.refused("FULLY_CONNECTED adds without factors", "alpha or beta", "1");
        }
        context.requireFloat(node.input(1));
        Tensor bias = context.tensor(node.input(0));
        if (bias.rank() != 1 || bias.size(0) != context.facts(node.output()).size(1)) {
            return LoweringPlan.refused("the bias must have one entry per column", bias.toString(), "rank 1");
        }
        int size = context.facts(node.input(2)).size(0);
        if (!fits(context, node.input(1), size)) {
            return unfit(context, node.input(1), size);
        }
        return () -> {
            OperandRef weights = context.in(node.input(2), 1, 0);
            define(
                    context,
                    node.output(),
                    rows(context, node.input(1), size),
                    weights,
                    context.nnapi().constant(bias));
        };
    }

    private static LoweringPlan matmul(Node node, LoweringContext context) {
        Value a = node.input(0);
        Value b = node.input(1);
        context.requireFloat(a);
        context.requireFloat(b);
        TensorFacts left = context.facts(a);
        TensorFacts right = context.facts(b);
        NnapiBuilder nnapi = context.nnapi();
        boolean vector = right.rank() == 1 && left.rank() >= 1;
        if (vector || right.rank() == 2) {
            if (!fits(context, a, right.size(0))) {
                return unfit(context, a, right.size(0));
            }
            return () -> {
                OperandRef weights = vector ? context.as(b, 1, right.size(0)) : context.in(b, 1, 0);
                define(
                        context,
                        node.output(),
                        rows(context, a, right.size(0)),
                        weights,
                        nnapi.zeros(weights.dims()[0]));
            };
        }
        if (left.rank() < 2) {
            return LoweringPlan.refused("the first factor must be a matrix", left.toString(), "rank 2 or more");
        }
        return () -> {
            TensorFacts out = context.facts(node.output());
            int[] many = Arrays.copyOf(out.shape(), Math.max(left.rank(), right.rank()) - 2);
            OperandRef product = batches(
                    nnapi,
                    repeated(nnapi, stacked(context, a, false), left, many),
                    repeated(nnapi, stacked(context, b, true), right, many));
            context.shaped(node.output(), product);
        };
    }

    /** Matrices of a batch as often as broadcasting to {@code many} needs them. */
    private static OperandRef repeated(NnapiBuilder nnapi, OperandRef matrices, TensorFacts known, int... many) {
        int[] own = Arrays.copyOf(known.shape(), known.rank() - 2);
        if (Arrays.equals(own, many)) {
            return matrices;
        }
        Tensor numbers = Tensor.of(IntStream.range(0, matrices.dims()[0]).toArray(), own);
        return nnapi.gather(
                matrices,
                0,
                nnapi.indices(Arrays.stream(GatherLowering.expanded(numbers, many)
                                .contiguous()
                                .toLongArray())
                        .mapToInt(i -> (int) i)
                        .toArray()));
    }

    /** A tensor as (batch, rows, columns), or (batch, columns, rows) if turned. */
    private static OperandRef stacked(LoweringContext context, Value value, boolean turned) {
        TensorFacts known = context.facts(value);
        int rank = known.rank();
        int rows = known.size(rank - 2);
        int columns = known.size(rank - 1);
        int batch = Math.toIntExact(known.count() / rows / columns);
        NnapiBuilder nnapi = context.nnapi();
        if (!turned) {
            return nnapi.reshape(context.plain(value), batch, rows, columns);
        }
        int[] order = LoweringContext.identity(rank);
        order[rank - 2] = rank - 1;
        order[rank - 1] = rank - 2;
        return nnapi.reshape(context.in(value, order), batch, columns, rows);
    }

    /** {@code a[i] b[i]^T} for (batch, m, k) and (batch, n, k). */
    static OperandRef batches(NnapiBuilder nnapi, OperandRef a, OperandRef b) {
        int batch = a.dims()[0];
        int m = a.dims()[1];
        int k = a.dims()[2];
        int n = b.dims()[1];
        long terms = (long) batch * m * n * k;
        boolean thin = batch > 1 && (m == 1 || n == 1 || k == 1);
        if (batch > MAX_BATCH && terms > MAX_TERMS) {
            return grouped(nnapi, a, b);
        }
        if (batch > MAX_BATCH || thin && terms <= MAX_TERMS) {
            // Few operations that multiply all with all, rather than many small ones.
            OperandRef each = nnapi.mul(nnapi.reshape(a, batch, m, 1, k), nnapi.reshape(b, batch, 1, n, k));
            return nnapi.reshape(k == 1 ? each : nnapi.reduce(OperationType.REDUCE_SUM, each, 3), batch, m, n);
        }
        List<OperandRef> parts = new ArrayList<>();
        for (int i = 0; i < batch; i++) {
            OperandRef left = nnapi.reshape(nnapi.slice(a, 0, i, i + 1, 1), m, k);
            OperandRef right = nnapi.reshape(nnapi.slice(b, 0, i, i + 1, 1), n, k);
            parts.add(nnapi.fullyConnected(left, right, nnapi.zeros(n)));
        }
        return nnapi.reshape(nnapi.concatenate(parts, 0), batch, m, n);
    }

    /**
     * {@link #batches} as a convolution of a column of m pixels, whose groups of k channels meet n filters of one pixel
     * each.
     */
    private static OperandRef grouped(NnapiBuilder nnapi, OperandRef a, OperandRef b) {
        int batch = a.dims()[0];
        int m = a.dims()[1];
        int k = a.dims()[2];
        int n = b.dims()[1];
        if (!nnapi.has(OperationType.GROUPED_CONV_2D)) {
            throw new Refused(
                    "a large batch of products is a GROUPED_CONV_2D",
                    batch + " products",
                    "at most " + MAX_BATCH,
                    "convert for Android 10 or later");
        }
        LoweringFrame pixel = LoweringFrame.of(new int[] {1}, new int[] {1}, new int[] {0}, new int[] {1});
        OperandRef image = nnapi.reshape(nnapi.transpose(a, 1, 0, 2), 1, m, 1, Math.multiplyExact(batch, k));
        OperandRef filters = nnapi.reshape(b, Math.multiplyExact(batch, n), 1, 1, k);
        OperandRef made = nnapi.windows()
                .convolution(image, filters, nnapi.zeros(batch * n), pixel, batch, false, FuseCode.NONE, 0, 0);
        return nnapi.transpose(nnapi.reshape(made, m, batch, n), 1, 0, 2);
    }

    /**
     * Each group of rows times a matrix of its own, groups ending where a tensor says: rows stand in as many columns as
     * there are matrices, all but those of their own matrix zero, and all matrices under each other are one.
     */
    private static LoweringPlan ofRowGroups(Node node, LoweringContext context) {
        TensorFacts left = context.facts(node.input(0));
        TensorFacts right = context.facts(node.input(1));
        Value ends = context.optional(node, 2);
        if (ends == null || left.rank() != 2 || right.rank() != 3) {
            return LoweringPlan.refused(
                    "groups are of rows, and each has a matrix",
                    left + " times " + right,
                    "rank 2 times rank 3, with ends of groups");
        }
        context.requireFloat(node.input(0));
        context.requireFloat(node.output());
        return () -> {
            int rows = left.size(0);
            int inner = left.size(1);
            int groups = right.size(0);
            NnapiBuilder nnapi = context.nnapi();
            OperandRef row = nnapi.constant(Tensor.of(IntStream.range(0, rows).toArray(), rows, 1));
            OperandRef end = nnapi.reshape(nnapi.cast(context.plain(ends), OperandType.TENSOR_INT32), 1, groups);
            OperandRef before = nnapi.cast(nnapi.test(OperationType.LESS, row, end), OperandType.TENSOR_FLOAT32);
            OperandRef own = groups == 1
                    ? before
                    : nnapi.sub(
                            before,
                            nnapi.concatenate(
                                    List.of(
                                            nnapi.filled(before, new int[] {rows, 1}, 0),
                                            nnapi.slice(before, 1, 0, groups - 1, 1)),
                                    1));
            OperandRef spread = nnapi.mul(
                    nnapi.reshape(context.plain(node.input(0)), rows, 1, inner), nnapi.reshape(own, rows, groups, 1));
            OperandRef matrices =
                    nnapi.reshape(context.in(node.input(1), 2, 0, 1), right.size(2), Math.multiplyExact(groups, inner));
            context.define(
                    node.output(),
                    nnapi.fullyConnected(
                            nnapi.reshape(spread, rows, groups * inner), matrices, nnapi.zeros(right.size(2))));
        };
    }

    private static LoweringPlan baddbmm(Node node, LoweringContext context) {
        if (context.number(node.input(3)) != 0) {
            return LoweringPlan.refused(
                    "products of batches add nothing", "beta " + context.number(node.input(3)), "0");
        }
        if (!context.isFloat(node.input(1))) {
            return LoweringPlan.refused(
                    "products take real numbers", context.facts(node.input(1)).toString(), "float32");
        }
        return () -> {
            OperandRef product = batches(
                    context.nnapi(), stacked(context, node.input(1), false), stacked(context, node.input(2), true));
            double alpha = context.number(node.input(4));
            context.define(node.output(), alpha == 1 ? product : context.nnapi().mul(product, alpha));
        };
    }
}
