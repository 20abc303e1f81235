package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Convolutions of images and of rows, in any groups and dilated, and transposed ones. */
final class Convolutions implements NodeFamily {
    static final int[] OUT_LAST_IN = {0, 2, 3, 1};
    static final int[] IN_FIRST = {1, 2, 3, 0};

    @Override
    public void register(NodeLoweringTable table) {
        for (String kind : new String[] {"_convolution", "convolution"}) {
            table.plan("aten::" + kind, Convolutions::lower);
        }
        for (int d = 1; d <= 3; d++) {
            table.plan("aten::conv" + d + "d", Convolutions::lower);
            table.plan("aten::conv_transpose" + d + "d", Convolutions::lower);
        }
    }

    private static LoweringPlan lower(Node node, LoweringContext context) {
        Value flag = node.argument("transposed");
        Value outputPadding = node.argument("output_padding");
        Value groups = node.argument("groups");
        if (flag == null ? outputPadding != null : context.flag(flag)) {
            return transposed(node, context, outputPadding, groups, node.argument("dilation"));
        }
        context.requireFloat(node.input(0));
        if (context.facts(node.input(1)).rank() == Volumes.RANK) {
            return Volumes.convolution(node, context, groups);
        }
        Reason unfit = unfit(node, context);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        int[] weight = sizes(context, node.input(1));
        Value bias = context.optional(node, 2);
        int[] dilation = pair(context, node.input(5), node);
        LoweringFrame frame = context.constant(node.input(4)) instanceof String
                ? named(context, node, weight, dilation)
                : LoweringFrame.of(
                        new int[] {weight[2], weight[3]},
                        pair(context, node.input(3), node),
                        pad(context, node.input(4), node),
                        dilation);
        int group = context.int32(groups);
        return () -> {
            OperandRef in = image(context, node.input(0));
            boolean depthwise = group != 1 && group == in.dims()[3] && weight[1] == 1;
            OperandRef offset = bias == null ? context.nnapi().zeros(weight[0]) : context.plain(bias);
            OperandRef filter = filter(context, node.input(1), depthwise ? IN_FIRST : OUT_LAST_IN);
            define(
                    context,
                    node.output(),
                    context.nnapi().windows().convolution(in, filter, offset, frame, depthwise ? 1 : group, depthwise));
        };
    }

    /** Why a convolution is none of images or rows; null where it is one. */
    private static Reason unfit(Node node, LoweringContext context) {
        TensorFacts weight = context.facts(node.input(1));
        TensorFacts known = context.facts(node.input(0));
        if (weight.rank() != 3 && weight.rank() != 4) {
            return new Reason("NNAPI convolves in one or two dimensions", "weights " + weight, "3-D or 4-D weights");
        }
        return known.rank() == weight.rank()
                ? null
                : new Reason(
                        "convolutions work on batches", known.toString(), "a batch dimension", "add a batch dimension");
    }

    /** Sizes of weights as those of images. */
    private static int[] sizes(LoweringContext context, Value weight) {
        TensorFacts known = context.facts(weight);
        return known.rank() == 4 ? known.shape() : new int[] {known.size(0), known.size(1), 1, known.size(2)};
    }

    /** Weights, constant or computed, of images or of rows. */
    private static OperandRef filter(LoweringContext context, Value weight, int... order) {
        if (context.isConstant(weight)) {
            return context.nnapi().constant(image(context.tensor(weight)), order);
        }
        if (context.facts(weight).rank() == 4) {
            return context.in(weight, order);
        }
        int[] sizes = sizes(context, weight);
        int[] dims = Arrays.stream(order).map(d -> sizes[d]).toArray();
        return context.nnapi()
                .reshape(order == IN_FIRST ? context.in(weight, 1, 2, 0) : context.in(weight, 0, 2, 1), dims);
    }

    static Tensor rows(Tensor tensor, int from, int count) {
        int[] sizes = tensor.sizes().clone();
        sizes[0] = count;
        return tensor.asStrided(sizes, tensor.strides(), tensor.offset() + from * tensor.strides()[0]);
    }

    /** Padding by name: {@code same} puts the odd element at the end. */
    private static LoweringFrame named(LoweringContext context, Node node, int[] weight, int[] dilation) {
        if (context.text(node.input(4)).equals("valid")) {
            return LoweringFrame.of(
                    new int[] {weight[2], weight[3]}, pair(context, node.input(3), node), new int[2], dilation);
        }
        LoweringFrame plain = LoweringFrame.of(new int[] {weight[2], weight[3]}, new int[] {1}, new int[2], dilation);
        return new LoweringFrame(same(plain.rows()), same(plain.columns()));
    }

    /** An axis of steps of 1, padded so that the size stays. */
    static LoweringFrame.Axis same(LoweringFrame.Axis axis) {
        int total = axis.dilation() * (axis.kernel() - 1);
        return new LoweringFrame.Axis(axis.kernel(), axis.stride(), total / 2, total - total / 2, axis.dilation());
    }

    /** One or two numbers, for rows those of an image with one row: a stride or dilation of 1. */
    private static int[] pair(LoweringContext context, Value value, Node node) {
        int[] given = context.integers(value);
        return isRow(context, node)
                ? new int[] {1, given[0]}
                : given.length == 1 ? new int[] {given[0], given[0]} : given;
    }

    private static int[] pad(LoweringContext context, Value value, Node node) {
        int[] given = context.integers(value);
        return isRow(context, node) ? new int[] {0, given[0]} : given;
    }

    private static boolean isRow(LoweringContext context, Node node) {
        return context.facts(node.output()).rank() == 3
                && context.facts(node.input(1)).rank() == 3;
    }

    /** Weights of rows as those of images with one row. */
    private static Tensor image(Tensor weight) {
        if (weight.rank() == 4) {
            return weight;
        }
        Tensor dense = weight.contiguous();
        int[] sizes = {dense.size(0), dense.size(1), 1, dense.size(2)};
        return dense.asStrided(sizes, Shape.contiguousStrides(sizes), dense.offset());
    }

    /** A batch of images, or of rows as images with one row. */
    static OperandRef image(LoweringContext context, Value value) {
        TensorFacts known = context.facts(value);
        if (known.rank() == 3) {
            return context.nnapi().reshape(context.in(value, 0, 2, 1), known.size(0), 1, known.size(2), known.size(1));
        }
        return context.image(value);
    }

    /** Gives a value an image, or the row that one is. */
    static void define(LoweringContext context, Value value, OperandRef image) {
        if (context.facts(value).rank() == 3) {
            context.define(
                    value, context.nnapi().reshape(image, image.dims()[0], image.dims()[2], image.dims()[3]), 0, 2, 1);
        } else {
            context.define(value, image, LoweringContext.IMAGE);
        }
    }

    private static LoweringPlan transposed(
            Node node, LoweringContext context, Value outputPadding, Value groups, Value dilation) {
        context.requireFloat(node.input(0));
        if (context.facts(node.input(1)).rank() == Volumes.RANK) {
            return Volumes.transposed(node, context, outputPadding, groups, dilation);
        }
        Reason unfit = unfit(node, context);
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        if (!context.isConstant(node.input(1))) {
            return transposedByComputed(node, context, outputPadding, groups, dilation);
        }
        Tensor weight = image(context.tensor(node.input(1)));
        Tensor bias = context.optional(node, 2) == null ? null : context.tensor(node.input(2));
        LoweringFrame frame = LoweringFrame.of(
                new int[] {weight.size(2), weight.size(3)},
                pair(context, node.input(3), node),
                pad(context, node.input(4), node),
                pair(context, dilation, node));
        int[] extra = pad(context, outputPadding, node);
        return () -> define(
                context,
                node.output(),
                transposed(
                        context.nnapi(),
                        image(context, node.input(0)),
                        weight,
                        bias,
                        frame,
                        context.int32(groups),
                        extra[0],
                        extra[extra.length - 1]));
    }

    /** With weights that are computed, of which each group has its own. */
    private static LoweringPlan transposedByComputed(
            Node node, LoweringContext context, Value outputPadding, Value groups, Value dilation) {
        int[] sizes = sizes(context, node.input(1));
        LoweringFrame frame = LoweringFrame.of(
                new int[] {sizes[2], sizes[3]},
                pair(context, node.input(3), node),
                pad(context, node.input(4), node),
                pair(context, dilation, node));
        int[] extra = pad(context, outputPadding, node);
        int moreRows = extra[0];
        int moreColumns = extra[extra.length - 1];
        if (frame.isDilated()
                || moreRows > frame.rows().after()
                || moreColumns > frame.columns().after()) {
            return LoweringPlan.refused(
                    "transposed convolutions with weights that are computed are plain ones",
                    "dilation, or output_padding beyond the padding",
                    "neither");
        }
        return () -> {
            LoweringFrame shorter =
                    new LoweringFrame(shorter(frame.rows(), moreRows), shorter(frame.columns(), moreColumns));
            int group = context.int32(groups);
            NnapiBuilder nnapi = context.nnapi();
            OperandRef in = image(context, node.input(0));
            OperandRef filter = filter(context, node.input(1), IN_FIRST);
            int channels = in.dims()[3] / group;
            List<OperandRef> parts = new ArrayList<>();
            for (int g = 0; g < group; g++) {
                // Weights are (out / groups, height, width, in).
                OperandRef own = nnapi.slice(filter, 3, g * channels, (g + 1) * channels, 1);
                parts.add(nnapi.windows()
                        .transposedConvolution(
                                nnapi.slice(in, 3, g * channels, (g + 1) * channels, 1),
                                own,
                                nnapi.zeros(sizes[1]),
                                shorter));
            }
            OperandRef made = nnapi.concatenate(parts, 3);
            Value bias = context.optional(node, 2);
            define(context, node.output(), bias == null ? made : nnapi.add(made, context.plain(bias)));
        };
    }

    /**
     * A transposed convolution of images in N, H, W, C.
     *
     * @param given weights (in, out / groups, height, width)
     * @param bias or null
     * @param moreRows rows of the result beyond those that the padding leaves
     * @param moreColumns the same for columns
     */
    static OperandRef transposed(
            NnapiBuilder nnapi,
            OperandRef in,
            Tensor given,
            Tensor bias,
            LoweringFrame dilated,
            int group,
            int moreRows,
            int moreColumns) {
        Tensor weight =
                spread(given, dilated.rows().dilation(), dilated.columns().dilation());
        LoweringFrame plain =
                new LoweringFrame(dense(dilated.rows(), weight.size(2)), dense(dilated.columns(), weight.size(3)));
        // What output_padding adds beyond the padding is met by no window, and has the bias alone.
        int below = Math.max(0, moreRows - plain.rows().after());
        int right = Math.max(0, moreColumns - plain.columns().after());
        LoweringFrame frame = new LoweringFrame(
                shorter(plain.rows(), moreRows - below), shorter(plain.columns(), moreColumns - right));
        Tensor added = below + right > 0 ? null : bias;
        int channels = in.dims()[3] / group;
        List<OperandRef> parts = new ArrayList<>();
        for (int g = 0; g < group; g++) {
            Tensor own = rows(weight, g * channels, channels);
            int filters = weight.size(1);
            OperandRef offset = added == null
                    ? nnapi.zeros(filters)
                    : nnapi.floats(Arrays.copyOfRange(added.toFloatArray(), g * filters, (g + 1) * filters), filters);
            parts.add(nnapi.windows()
                    .transposedConvolution(
                            nnapi.slice(in, 3, g * channels, (g + 1) * channels, 1),
                            nnapi.constant(own, IN_FIRST),
                            offset,
                            frame));
        }
        OperandRef made = nnapi.concatenate(parts, 3);
        if (below + right > 0) {
            OperandRef wider = nnapi.pad(made, new int[4], new int[] {0, below, right, 0}, 0);
            made = bias == null ? wider : nnapi.add(wider, nnapi.constant(bias));
        }
        return made;
    }

    /** The axis of a dilated kernel as that of one with zeros between its elements. */
    static LoweringFrame.Axis dense(LoweringFrame.Axis axis, int kernel) {
        return new LoweringFrame.Axis(kernel, axis.stride(), axis.before(), axis.after(), 1);
    }

    /** A dilated kernel as one with zeros between its elements, as TRANSPOSE_CONV_2D knows no dilation. */
    private static Tensor spread(Tensor weight, int... dilation) {
        if (dilation[0] == 1 && dilation[1] == 1) {
            return weight;
        }
        int height = Math.addExact(Math.multiplyExact(dilation[0], weight.size(2) - 1), 1);
        int width = Math.addExact(Math.multiplyExact(dilation[1], weight.size(3) - 1), 1);
        float[] out = spread(
                weight.contiguous().toFloatArray(),
                new int[] {weight.size(0) * weight.size(1), weight.size(2), weight.size(3), 1},
                dilation);
        return Tensor.of(out, weight.size(0), weight.size(1), height, width);
    }

    /** Windows of (planes, height, width, inner) with zeros between their elements. */
    static float[] spread(float[] from, int[] sizes, int... dilation) {
        int height = dilation[0] * (sizes[1] - 1) + 1;
        int width = dilation[1] * (sizes[2] - 1) + 1;
        float[] out = new float[Math.multiplyExact(sizes[0] * sizes[3], Math.multiplyExact(height, width))];
        for (int row = 0; row < sizes[0] * sizes[1]; row++) {
            int y = row / sizes[1] * height + row % sizes[1] * dilation[0];
            for (int x = 0; x < sizes[2]; x++) {
                System.arraycopy(
                        from, (row * sizes[2] + x) * sizes[3], out, (y * width + x * dilation[1]) * sizes[3], sizes[3]);
            }
        }
        return out;
    }

    /** Elements added to the result, at most the padding at the end, are elements that it does not cut off. */
    static LoweringFrame.Axis shorter(LoweringFrame.Axis axis, int extra) {
        return new LoweringFrame.Axis(
                axis.kernel(), axis.stride(), axis.before(), axis.after() - extra, axis.dilation());
    }
}
