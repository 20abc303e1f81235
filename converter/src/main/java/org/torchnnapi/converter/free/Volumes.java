package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Convolutions and pools of volumes, (N, C, D, H, W), as operations on images: a volume is N D images of H, W, C, and a window
 * over D is one image operation for each of its places, whose results are added or of which the largest is taken.
 */
final class Volumes implements NodeFamily {
    private static final int[] OUT_LAST_IN = {0, 2, 3, 1};
    private static final int[] IN_FIRST = {1, 2, 3, 0};
    static final int RANK = 5;
    /** Stands for padding in a search for the largest value. */
    private static final float LEAST = -Float.MAX_VALUE;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::conv3d", (node, scope) -> convolution(node, scope, node.input(6)));
        table.put("aten::max_pool3d", Volumes::max);
        table.put("aten::avg_pool3d", Volumes::average);
        table.put("aten::adaptive_avg_pool3d", Volumes::adaptive);
    }

    /** A window over depth, and one over the images. */
    private record Window(Frame.Axis depth, Frame image) {
        static Window of(int[] kernel, int[] stride, int[] padding, int[] dilation) {
            int[] k = three(kernel);
            int[] s = three(stride.length == 0 ? kernel : stride);
            int[] p = three(padding);
            int[] d = three(dilation);
            Frame depth = Frame.of(new int[] {k[0], 1}, new int[] {s[0], 1}, new int[] {p[0], 0}, new int[] {d[0], 1});
            return new Window(depth.rows(), Frame.of(new int[] {k[1], k[2]}, new int[] {s[1], s[2]}, new int[] {p[1], p[2]}, new int[] {d[1], d[2]}));
        }

        private static int[] three(int[] values) {
            if (values.length != 1 && values.length != 3) {
                throw new Refused("windows of volumes have three dimensions", values.length + " numbers", "one or three", "");
            }
            return values.length == 1 ? new int[] {values[0], values[0], values[0]} : values;
        }
    }

    private static TensorFacts volume(Scope scope, Value value) {
        TensorFacts known = scope.facts(value);
        if (known.rank() != RANK) {
            throw new Refused("volumes have five dimensions", known.toString(), "rank 5 (N, C, D, H, W)", "add a batch dimension");
        }
        scope.requireFloat(value);
        return known;
    }

    private static Term images(Scope scope, Value value) {
        int[] shape = volume(scope, value).shape();
        return scope.net().reshape(scope.in(value, Scope.VOLUME), shape[0] * shape[2], shape[3], shape[4], shape[1]);
    }

    static void convolution(Node node, Scope scope, Value grouping) {
        int[] shape = volume(scope, node.input(0)).shape();
        Tensor weight = scope.tensor(node.input(1)).contiguous();
        Tensor bias = scope.optional(node, 2) == null ? null : scope.tensor(node.input(2));
        int groups = Math.toIntExact(scope.integer(grouping));
        Window window = Window.of(new int[] {weight.size(2), weight.size(3), weight.size(4)}, scope.integers(node.input(3)), scope.integers(node.input(4)),
            scope.integers(node.input(5)));
        boolean depthwise = groups != 1 && groups == shape[1] && weight.size(1) == 1;
        if (groups != 1 && !depthwise && window.image().isDilated()) {
            throw new Refused("grouped convolutions of volumes are not dilated", "a dilation", "1", "");
        }
        NetBuilder net = scope.net();
        List<UnaryOperator<Term>> places = new ArrayList<>();
        for (int i = 0; i < window.depth().kernel(); i++) {
            int[] sizes = {weight.size(0), weight.size(1), weight.size(3), weight.size(4)};
            int[] strides = {weight.strides()[0], weight.strides()[1], weight.strides()[3], weight.strides()[4]};
            Tensor own = weight.asStrided(sizes, strides, weight.offset() + i * weight.strides()[2]);
            Term filter = net.constant(own, depthwise ? IN_FIRST : OUT_LAST_IN);
            Term offset = bias == null || i > 0 ? net.zeros(weight.size(0)) : net.constant(bias);
            places.add(image -> net.convolution(image, filter, offset, window.image(), depthwise ? 1 : groups, depthwise, 0, 0, 0));
        }
        define(scope, node.output(), along(scope, node.input(0), window.depth(), 0, places, net::add));
    }

    /** One image operation for each place of a window over depth, over the images that it meets there. */
    private static Term along(Scope scope, Value in, Frame.Axis depth, double padding, List<UnaryOperator<Term>> places, BinaryOperator<Term> join) {
        int[] shape = volume(scope, in).shape();
        NetBuilder net = scope.net();
        Term rows = net.reshape(images(scope, in), shape[0], shape[2], shape[3] * shape[4] * shape[1]);
        Term padded = depth.before() + depth.after() == 0 ? rows
            : net.pad(rows, new int[] {0, depth.before(), 0}, new int[] {0, depth.after(), 0}, padding);
        int count = depth.count(shape[2]);
        Term sum = null;
        for (int i = 0; i < places.size(); i++) {
            int from = i * depth.dilation();
            Term met = net.slice(padded, 1, from, from + (count - 1) * depth.stride() + 1, depth.stride());
            Term made = places.get(i).apply(net.reshape(met, shape[0] * count, shape[3], shape[4], shape[1]));
            sum = sum == null ? made : join.apply(sum, made);
        }
        return sum;
    }

    private static void define(Scope scope, Value value, Term images) {
        scope.define(value, images, Scope.VOLUME);
    }

    private static void max(Node node, Scope scope) {
        Window window = Window.of(scope.integers(node.input(1)), scope.integers(node.input(2)), scope.integers(node.input(3)), scope.integers(node.input(4)));
        int[] shape = volume(scope, node.input(0)).shape();
        boolean ceil = scope.flag(node.input(5));
        Frame.Axis depth = ceil ? window.depth().ceil(shape[2]) : window.depth();
        Frame image = ceil ? window.image().ceil(shape[3], shape[4]) : window.image();
        if (image.isDilated()) {
            throw new Refused("pooling windows must not be dilated", "a dilation", "1", "");
        }
        NetBuilder net = scope.net();
        List<UnaryOperator<Term>> places = new ArrayList<>();
        for (int i = 0; i < depth.kernel(); i++) {
            places.add(met -> net.pool(OperationType.MAX_POOL_2D, met, image));
        }
        define(scope, node.output(), along(scope, node.input(0), depth, LEAST, places, (a, b) -> net.binary(OperationType.MAXIMUM, a, b)));
    }

    private static void average(Node node, Scope scope) {
        Window window = Window.of(scope.integers(node.input(1)), scope.integers(node.input(2)), scope.integers(node.input(3)), new int[] {1});
        boolean padded = window.image().isPadded() || window.depth().before() != 0;
        if (padded || scope.flag(node.input(4)) || scope.optional(node, 6) != null) {
            throw new Refused("means of volumes are those of whole windows", "padding, ceil_mode or a divisor", "none of them", "");
        }
        NetBuilder net = scope.net();
        List<UnaryOperator<Term>> places = new ArrayList<>();
        for (int i = 0; i < window.depth().kernel(); i++) {
            places.add(met -> net.pool(OperationType.AVERAGE_POOL_2D, met, window.image()));
        }
        Term sum = along(scope, node.input(0), window.depth(), 0, places, net::add);
        define(scope, node.output(), places.size() == 1 ? sum : net.mul(sum, 1.0 / places.size()));
    }

    private static void adaptive(Node node, Scope scope) {
        int[] from = volume(scope, node.input(0)).shape();
        int[] to = scope.facts(node.output()).shape();
        if (to[2] != 1 || to[3] != 1 || to[4] != 1) {
            throw new Refused("adaptive pools of volumes go to one place", scope.facts(node.output()).toString(), "(1, 1, 1)", "");
        }
        NetBuilder net = scope.net();
        Term rows = net.reshape(images(scope, node.input(0)), from[0], from[2] * from[3] * from[4], from[1]);
        define(scope, node.output(), net.mean(rows, 1));
    }
}
