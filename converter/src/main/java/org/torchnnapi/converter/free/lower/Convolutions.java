package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Convolutions of images and of rows, in any groups and dilated, and transposed ones. */
final class Convolutions implements NodeFamily {
    private static final int[] OUT_LAST_IN = {0, 2, 3, 1};
    private static final int[] IN_FIRST = {1, 2, 3, 0};

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::conv2d", (node, scope) -> lower(node, scope, false, null, node.input(6)));
        table.put("aten::conv1d", (node, scope) -> lower(node, scope, false, null, node.input(6)));
        table.put("aten::_convolution", (node, scope) -> lower(node, scope, scope.flag(node.input(6)), node.input(7), node.input(8)));
        table.put("aten::convolution", (node, scope) -> lower(node, scope, scope.flag(node.input(6)), node.input(7), node.input(8)));
        table.put("aten::conv_transpose2d", (node, scope) -> transposed(node, scope, node.input(5), node.input(6), node.input(7)));
        table.put("aten::conv_transpose1d", (node, scope) -> transposed(node, scope, node.input(5), node.input(6), node.input(7)));
    }

    private static void lower(Node node, Scope scope, boolean transposed, Value outputPadding, Value groups) {
        if (transposed) {
            transposed(node, scope, outputPadding, groups, node.input(5));
            return;
        }
        scope.requireFloat(node.input(0));
        if (scope.facts(node.input(1)).rank() == Volumes.RANK) {
            Volumes.convolution(node, scope, groups);
            return;
        }
        int[] weight = sizes(scope, node.input(1));
        Value bias = scope.optional(node, 2);
        int[] dilation = pair(scope, node.input(5), node);
        Frame frame = scope.constant(node.input(4)) instanceof String ? named(scope, node, weight, dilation)
            : Frame.of(new int[] {weight[2], weight[3]}, pair(scope, node.input(3), node), pad(scope, node.input(4), node), dilation);
        int group = Math.toIntExact(scope.integer(groups));
        Term in = input(scope, node);
        boolean depthwise = group != 1 && group == in.dims()[3] && weight[1] == 1;
        if (group != 1 && !depthwise && frame.isDilated()) {
            define(scope, node.output(), byGroups(scope, in, image(scope.tensor(node.input(1))), bias == null ? null : scope.tensor(bias), frame, group));
            return;
        }
        Term offset = bias == null ? scope.net().zeros(weight[0]) : scope.plain(bias);
        Term filter = filter(scope, node.input(1), depthwise ? IN_FIRST : OUT_LAST_IN);
        define(scope, node.output(), scope.net().windows().convolution(in, filter, offset, frame, depthwise ? 1 : group, depthwise, 0, 0, 0));
    }

    /** Sizes of weights as those of images. */
    private static int[] sizes(Scope scope, Value weight) {
        TensorFacts known = scope.facts(weight);
        if (known.rank() != 3 && known.rank() != 4) {
            throw new Refused("NNAPI convolves in one or two dimensions", "weights " + known, "3-D or 4-D weights", "");
        }
        return known.rank() == 4 ? known.shape() : new int[] {known.size(0), known.size(1), 1, known.size(2)};
    }

    /** Weights, constant or computed, of images or of rows. */
    private static Term filter(Scope scope, Value weight, int... order) {
        if (scope.isConstant(weight)) {
            return scope.net().constant(image(scope.tensor(weight)), order);
        }
        if (scope.facts(weight).rank() == 4) {
            return scope.in(weight, order);
        }
        int[] sizes = sizes(scope, weight);
        int[] dims = Arrays.stream(order).map(d -> sizes[d]).toArray();
        return scope.net().reshape(order == IN_FIRST ? scope.in(weight, 1, 2, 0) : scope.in(weight, 0, 2, 1), dims);
    }

    /** GROUPED_CONV_2D knows no dilation: each group by itself. */
    static Term byGroups(Scope scope, Term in, Tensor weight, Tensor bias, Frame frame, int groups) {
        NetBuilder net = scope.net();
        int channels = in.dims()[3] / groups;
        int filters = weight.size(0) / groups;
        List<Term> parts = new ArrayList<>();
        for (int g = 0; g < groups; g++) {
            Tensor own = rows(weight, g * filters, filters);
            Term offset = bias == null ? net.zeros(filters) : net.floats(Arrays.copyOfRange(bias.toFloatArray(), g * filters, (g + 1) * filters), filters);
            parts.add(net.windows().convolution(net.slice(in, 3, g * channels, (g + 1) * channels, 1), net.constant(own, OUT_LAST_IN), offset, frame, 1, false, 0, 0, 0));
        }
        return net.concatenate(parts, 3);
    }

    static Tensor rows(Tensor tensor, int from, int count) {
        int[] sizes = tensor.sizes().clone();
        sizes[0] = count;
        return tensor.asStrided(sizes, tensor.strides(), tensor.offset() + from * tensor.strides()[0]);
    }

    /** Padding by name: {@code same} puts the odd element at the end. */
    private static Frame named(Scope scope, Node node, int[] weight, int[] dilation) {
        if (scope.text(node.input(4)).equals("valid")) {
            return Frame.of(new int[] {weight[2], weight[3]}, pair(scope, node.input(3), node), new int[2], dilation);
        }
        Frame plain = Frame.of(new int[] {weight[2], weight[3]}, new int[] {1}, new int[2], dilation);
        return new Frame(same(plain.rows()), same(plain.columns()));
    }

    /** An axis of steps of 1, padded so that the size stays. */
    static Frame.Axis same(Frame.Axis axis) {
        int total = axis.dilation() * (axis.kernel() - 1);
        return new Frame.Axis(axis.kernel(), axis.stride(), total / 2, total - total / 2, axis.dilation());
    }

    /** One or two numbers, for rows those of an image with one row: a stride or dilation of 1. */
    private static int[] pair(Scope scope, Value value, Node node) {
        int[] given = scope.integers(value);
        return isRow(scope, node) ? new int[] {1, given[0]} : given.length == 1 ? new int[] {given[0], given[0]} : given;
    }

    private static int[] pad(Scope scope, Value value, Node node) {
        int[] given = scope.integers(value);
        return isRow(scope, node) ? new int[] {0, given[0]} : given;
    }

    private static boolean isRow(Scope scope, Node node) {
        return scope.facts(node.output()).rank() == 3 && scope.facts(node.input(1)).rank() == 3;
    }

    /** Weights of rows as those of images with one row. */
    private static Tensor image(Tensor weight) {
        if (weight.rank() == 4) {
            return weight;
        }
        if (weight.rank() != 3) {
            throw new Refused("NNAPI convolves in one or two dimensions", "weights " + weight, "3-D or 4-D weights", "");
        }
        Tensor dense = weight.contiguous();
        int[] sizes = {dense.size(0), dense.size(1), 1, dense.size(2)};
        return dense.asStrided(sizes, Shape.contiguousStrides(sizes), dense.offset());
    }

    /** An image, or rows as images with one row. */
    private static Term input(Scope scope, Node node) {
        TensorFacts known = scope.facts(node.input(0));
        if (known.rank() != scope.facts(node.input(1)).rank()) {
            throw new Refused("convolutions work on batches", known.toString(), "a batch dimension", "add a batch dimension");
        }
        return image(scope, node.input(0));
    }

    /** A batch of images, or of rows as images with one row. */
    static Term image(Scope scope, Value value) {
        TensorFacts known = scope.facts(value);
        if (known.rank() == 3) {
            return scope.net().reshape(scope.in(value, 0, 2, 1), known.size(0), 1, known.size(2), known.size(1));
        }
        return scope.image(value);
    }

    /** Gives a value an image, or the row that one is. */
    static void define(Scope scope, Value value, Term image) {
        if (scope.facts(value).rank() == 3) {
            scope.define(value, scope.net().reshape(image, image.dims()[0], image.dims()[2], image.dims()[3]), 0, 2, 1);
        } else {
            scope.define(value, image, Scope.IMAGE);
        }
    }

    private static void transposed(Node node, Scope scope, Value outputPadding, Value groups, Value dilation) {
        scope.requireFloat(node.input(0));
        if (scope.facts(node.input(1)).rank() == Volumes.RANK) {
            Volumes.transposed(node, scope, outputPadding, groups, dilation);
            return;
        }
        if (!scope.isConstant(node.input(1))) {
            transposedByComputed(node, scope, outputPadding, groups, dilation);
            return;
        }
        Tensor weight = image(scope.tensor(node.input(1)));
        Tensor bias = scope.optional(node, 2) == null ? null : scope.tensor(node.input(2));
        Frame frame = Frame.of(new int[] {weight.size(2), weight.size(3)}, pair(scope, node.input(3), node), pad(scope, node.input(4), node), pair(scope, dilation, node));
        int[] extra = pad(scope, outputPadding, node);
        define(scope, node.output(), transposed(scope.net(), input(scope, node), weight, bias, frame, Math.toIntExact(scope.integer(groups)), extra[0],
            extra[extra.length - 1]));
    }

    /** With weights that are computed, of which each group has its own. */
    private static void transposedByComputed(Node node, Scope scope, Value outputPadding, Value groups, Value dilation) {
        int[] sizes = sizes(scope, node.input(1));
        Frame frame = Frame.of(new int[] {sizes[2], sizes[3]}, pair(scope, node.input(3), node), pad(scope, node.input(4), node), pair(scope, dilation, node));
        int[] extra = pad(scope, outputPadding, node);
        int moreRows = extra[0];
        int moreColumns = extra[extra.length - 1];
        if (frame.isDilated() || moreRows > frame.rows().after() || moreColumns > frame.columns().after()) {
            throw new Refused("transposed convolutions with weights that are computed are plain ones", "dilation, or output_padding beyond the padding", "neither", "");
        }
        Frame shorter = new Frame(shorter(frame.rows(), moreRows), shorter(frame.columns(), moreColumns));
        int group = Math.toIntExact(scope.integer(groups));
        NetBuilder net = scope.net();
        Term in = input(scope, node);
        Term filter = filter(scope, node.input(1), IN_FIRST);
        int channels = in.dims()[3] / group;
        List<Term> parts = new ArrayList<>();
        for (int g = 0; g < group; g++) {
            // Weights are (out / groups, height, width, in).
            Term own = net.slice(filter, 3, g * channels, (g + 1) * channels, 1);
            parts.add(net.windows().transposedConvolution(net.slice(in, 3, g * channels, (g + 1) * channels, 1), own, net.zeros(sizes[1]), shorter, 0, 0));
        }
        Term made = net.concatenate(parts, 3);
        Value bias = scope.optional(node, 2);
        define(scope, node.output(), bias == null ? made : net.add(made, scope.plain(bias)));
    }

    /**
     * A transposed convolution of images in N, H, W, C.
     *
     * @param given      weights (in, out / groups, height, width)
     * @param bias       or null
     * @param moreRows   rows of the result beyond those that the padding leaves
     * @param moreColumns the same for columns
     */
    static Term transposed(NetBuilder net, Term in, Tensor given, Tensor bias, Frame dilated, int group, int moreRows, int moreColumns) {
        Tensor weight = spread(given, dilated.rows().dilation(), dilated.columns().dilation());
        Frame plain = new Frame(dense(dilated.rows(), weight.size(2)), dense(dilated.columns(), weight.size(3)));
        // What output_padding adds beyond the padding is met by no window, and has the bias alone.
        int below = Math.max(0, moreRows - plain.rows().after());
        int right = Math.max(0, moreColumns - plain.columns().after());
        Frame frame = new Frame(shorter(plain.rows(), moreRows - below), shorter(plain.columns(), moreColumns - right));
        Tensor added = below + right > 0 ? null : bias;
        int channels = in.dims()[3] / group;
        List<Term> parts = new ArrayList<>();
        for (int g = 0; g < group; g++) {
            Tensor own = rows(weight, g * channels, channels);
            int filters = weight.size(1);
            Term offset = added == null ? net.zeros(filters) : net.floats(Arrays.copyOfRange(added.toFloatArray(), g * filters, (g + 1) * filters), filters);
            parts.add(net.windows().transposedConvolution(net.slice(in, 3, g * channels, (g + 1) * channels, 1), net.constant(own, IN_FIRST), offset, frame, 0, 0));
        }
        Term made = net.concatenate(parts, 3);
        if (below + right > 0) {
            Term wider = net.pad(made, new int[4], new int[] {0, below, right, 0}, 0);
            made = bias == null ? wider : net.add(wider, net.constant(bias));
        }
        return made;
    }

    /** The axis of a dilated kernel as that of one with zeros between its elements. */
    private static Frame.Axis dense(Frame.Axis axis, int kernel) {
        return new Frame.Axis(kernel, axis.stride(), axis.before(), axis.after(), 1);
    }

    /** A dilated kernel as one with zeros between its elements, as TRANSPOSE_CONV_2D knows no dilation. */
    private static Tensor spread(Tensor weight, int... dilation) {
        if (dilation[0] == 1 && dilation[1] == 1) {
            return weight;
        }
        int height = Math.addExact(Math.multiplyExact(dilation[0], weight.size(2) - 1), 1);
        int width = Math.addExact(Math.multiplyExact(dilation[1], weight.size(3) - 1), 1);
        float[] from = weight.contiguous().toFloatArray();
        int count = weight.size(0) * weight.size(1);
        float[] out = new float[Math.multiplyExact(count, Math.multiplyExact(height, width))];
        int at = 0;
        for (int plane = 0; plane < count; plane++) {
            for (int y = 0; y < weight.size(2); y++) {
                for (int x = 0; x < weight.size(3); x++) {
                    out[(plane * height + y * dilation[0]) * width + x * dilation[1]] = from[at++];
                }
            }
        }
        return Tensor.of(out, weight.size(0), weight.size(1), height, width);
    }

    /** Elements added to the result are elements not cut off by the padding at the end. */
    static Frame.Axis shorter(Frame.Axis axis, int extra) {
        if (extra > axis.after()) {
            throw new Refused("output_padding must not exceed padding", extra + " with padding " + axis.after(), "at most the padding", "");
        }
        return new Frame.Axis(axis.kernel(), axis.stride(), axis.before(), axis.after() - extra, axis.dilation());
    }
}
