package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Convolutions and pools of volumes, (N, C, D, H, W), as operations on images: a volume is N D images of H, W, C, and a window
 * over D is one image operation for each of its places, whose results are added. It is also N images of D, H W, C, over which a window of depth
 * alone is one operation.
 */
final class Volumes implements NodeFamily {
    private static final int[] OUT_LAST_IN = {0, 2, 3, 1};
    private static final int[] IN_FIRST = {1, 2, 3, 0};
    static final int RANK = 5;
    /** Places over depth of which all parts of a window in the padding are left out: seven operations at most, for three. */
    private static final int FEW = 3;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::conv3d", (node, scope) -> convolution(node, scope, node.input(6)));
        table.put("aten::max_pool3d", Volumes::max);
        table.put("aten::avg_pool3d", Volumes::average);
        table.put("aten::adaptive_avg_pool3d", (node, scope) -> adaptive(node, scope, node.output(), (x, d) -> scope.net().mean(x, d)));
        table.put("aten::adaptive_max_pool3d", (node, scope) -> adaptive(node, scope, node.output(0),
            (x, d) -> scope.net().reduce(OperationType.REDUCE_MAX, x, d)));
        table.put("aten::conv_transpose3d", (node, scope) -> transposed(node, scope, node.input(5), node.input(6), node.input(7)));
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

        /** Padding by name: {@code same}, of steps of 1, puts the odd element at the end. */
        static Window named(String name, int[] kernel, int[] stride, int[] dilation) {
            Window plain = of(kernel, stride, new int[] {0}, dilation);
            return name.equals("valid") ? plain
                : new Window(Convolutions.same(plain.depth()), new Frame(Convolutions.same(plain.image().rows()), Convolutions.same(plain.image().columns())));
        }

        /** The window over images of (D, H W) pixels where it is one pixel high and wide, or else null. */
        Frame alone() {
            return image.isSingle() ? overDepth(depth) : null;
        }

        private static int[] three(int[] values) {
            if (values.length != 1 && values.length != 3) {
                throw new Refused("windows of volumes have three dimensions", values.length + " numbers", "one or three", "");
            }
            return values.length == 1 ? new int[] {values[0], values[0], values[0]} : values;
        }
    }

    private static Frame overDepth(Frame.Axis depth) {
        return new Frame(depth, new Frame.Axis(1, 1, 0, 0, 1));
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
        int[] kernel = {weight.size(2), weight.size(3), weight.size(4)};
        int[] dilations = scope.integers(node.input(5));
        Window window = scope.constant(node.input(4)) instanceof String name ? Window.named(name, kernel, scope.integers(node.input(3)), dilations)
            : Window.of(kernel, scope.integers(node.input(3)), scope.integers(node.input(4)), dilations);
        boolean depthwise = groups != 1 && groups == shape[1] && weight.size(1) == 1;
        if (groups != 1 && !depthwise && window.image().isDilated()) {
            throw new Refused("grouped convolutions of volumes are not dilated", "a dilation", "1", "");
        }
        NetBuilder net = scope.net();
        Frame alone = window.alone();
        if (alone != null && (groups == 1 || !alone.isDilated())) {
            int[] sizes = {weight.size(0), weight.size(1), weight.size(2), 1};
            Tensor own = weight.asStrided(sizes, Shape.contiguousStrides(sizes), weight.offset());
            define(scope, node.output(), net.windows().convolution(net.reshape(images(scope, node.input(0)), shape[0], shape[2], shape[3] * shape[4], shape[1]),
                net.constant(own, depthwise ? IN_FIRST : OUT_LAST_IN), bias == null ? net.zeros(weight.size(0)) : net.constant(bias), alone,
                depthwise ? 1 : groups, depthwise, 0, 0, 0));
            return;
        }
        Place place = (image, i, first) -> {
            int[] sizes = {weight.size(0), weight.size(1), weight.size(3), weight.size(4)};
            int[] strides = {weight.strides()[0], weight.strides()[1], weight.strides()[3], weight.strides()[4]};
            Tensor own = weight.asStrided(sizes, strides, weight.offset() + i * weight.strides()[2]);
            return net.windows().convolution(image, net.constant(own, depthwise ? IN_FIRST : OUT_LAST_IN),
                bias == null || !first ? net.zeros(weight.size(0)) : net.constant(bias), window.image(), depthwise ? 1 : groups, depthwise, 0, 0, 0);
        };
        define(scope, node.output(), along(scope, node.input(0), window.depth(), place));
    }

    /** The image operation of one place of a window over depth. */
    private interface Place {
        /** @param first whether it is the first of those that are added */
        Term apply(Term images, int place, boolean first);
    }

    /**
     * Windows over depth, one after the other, that meet the volume at the same places: others lie in the padding.
     *
     * @param from   the first window
     * @param count  how many
     * @param begin  the first place
     * @param end    behind the last place
     */
    private record Alike(int from, int count, int begin, int end) {
        static List<Alike> of(Frame.Axis depth, int size) {
            List<Alike> found = new ArrayList<>();
            int windows = depth.count(size);
            for (int i = 0; i < windows; i++) {
                int at = i * depth.stride() - depth.before();
                int begin = Math.min(depth.kernel(), -Math.floorDiv(Math.min(at, 0), depth.dilation()));
                int end = Math.min(depth.kernel(), Math.max(begin, -Math.floorDiv(at - size, depth.dilation())));
                Alike last = found.isEmpty() ? null : found.get(found.size() - 1);
                if (last != null && last.begin == begin && last.end == end) {
                    found.set(found.size() - 1, new Alike(last.from, last.count + 1, begin, end));
                } else {
                    found.add(new Alike(i, 1, begin, end));
                }
            }
            return found;
        }

        int places() {
            return end - begin;
        }
    }

    /**
     * A convolution over depth: windows that meet the volume at the same places are computed together, at those places alone, unless that makes many
     * operations of what little lies in the padding. What is done hangs on the depth alone, so that other sizes may stay open.
     */
    private static Term along(Scope scope, Value in, Frame.Axis depth, Place place) {
        int[] shape = volume(scope, in).shape();
        List<Alike> parts = Alike.of(depth, shape[2]);
        int met = parts.stream().mapToInt(part -> part.count() * part.places()).sum();
        boolean few = parts.size() == 1 || depth.kernel() <= FEW || met < 0.75 * depth.kernel() * depth.count(shape[2]);
        if (!few || parts.stream().anyMatch(part -> part.places() == 0)) {
            return sum(scope, in, depth, place);
        }
        NetBuilder net = scope.net();
        int batch = shape[0];
        Term rows = rows(scope, in, shape);
        List<Term> made = new ArrayList<>();
        int[] dims = null;
        for (Alike part : parts) {
            Term sum = null;
            for (int i = part.begin(); i < part.end(); i++) {
                int from = part.from() * depth.stride() - depth.before() + i * depth.dilation();
                Term slice = net.slice(rows, batch == 1 ? 0 : 1, from, from + (part.count() - 1) * depth.stride() + 1, depth.stride());
                Term one = place.apply(net.reshape(slice, batch * part.count(), shape[3], shape[4], shape[1]), i, sum == null);
                sum = sum == null ? one : net.add(sum, one);
            }
            dims = sum.dims();
            made.add(batch == 1 || parts.size() == 1 ? sum : net.reshape(sum, batch, part.count(), dims[1] * dims[2] * dims[3]));
        }
        Term all = net.concatenate(made, batch == 1 ? 0 : 1);
        return net.reshape(all, batch * depth.count(shape[2]), dims[1], dims[2], dims[3]);
    }

    /** The sum of one image operation for each place of a window over depth, over the images that it meets there, padded ones too. */
    private static Term sum(Scope scope, Value in, Frame.Axis depth, Place place) {
        int[] shape = volume(scope, in).shape();
        NetBuilder net = scope.net();
        int batch = shape[0];
        Term rows = rows(scope, in, shape);
        int at = batch == 1 ? 0 : 1;
        int[] before = new int[rows.rank()];
        int[] after = new int[rows.rank()];
        before[at] = depth.before();
        after[at] = depth.after();
        Term padded = depth.before() + depth.after() == 0 ? rows : net.pad(rows, before, after, 0);
        int count = depth.count(shape[2]);
        Term sum = null;
        for (int i = 0; i < depth.kernel(); i++) {
            int from = i * depth.dilation();
            Term met = net.slice(padded, at, from, from + (count - 1) * depth.stride() + 1, depth.stride());
            Term made = place.apply(net.reshape(met, batch * count, shape[3], shape[4], shape[1]), i, i == 0);
            sum = sum == null ? made : net.add(sum, made);
        }
        return sum;
    }

    /** Volumes cut along depth, (N, D, H W C); of one volume the images, a batch of which others keep their layout. */
    private static Term rows(Scope scope, Value in, int[] shape) {
        Term images = images(scope, in);
        return shape[0] == 1 ? images : scope.net().reshape(images, shape[0], shape[2], shape[3] * shape[4] * shape[1]);
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
        NetBuilder net = scope.net();
        Term wide = Pools.largest(net, images(scope, node.input(0)), image);
        int[] dims = wide.dims();
        define(scope, node.output(), Pools.largest(net, net.reshape(wide, shape[0], shape[2], dims[1] * dims[2], dims[3]), overDepth(depth)));
    }

    private static void average(Node node, Scope scope) {
        Window given = Window.of(scope.integers(node.input(1)), scope.integers(node.input(2)), scope.integers(node.input(3)), new int[] {1});
        int[] shape = volume(scope, node.input(0)).shape();
        boolean ceil = scope.flag(node.input(4));
        Window window = ceil ? new Window(given.depth().ceil(shape[2]), given.image().ceil(shape[3], shape[4])) : given;
        Frame image = window.image();
        Value divisor = scope.optional(node, 6);
        NetBuilder net = scope.net();
        int[] before = {0, image.rows().before(), image.columns().before(), 0};
        int[] after = {0, image.rows().after(), image.columns().after(), 0};
        Term sum = sum(scope, node.input(0), window.depth(),
            (met, i, first) -> net.windows().pool(OperationType.AVERAGE_POOL_2D, image.isPadded() ? net.pad(met, before, after, 0) : met, image.unpadded()));
        double area = (double) image.rows().kernel() * image.columns().kernel();
        if (divisor != null) {
            double factor = area / scope.integer(divisor);
            define(scope, node.output(), factor == 1 ? sum : net.mul(sum, factor));
            return;
        }
        boolean padding = scope.flag(node.input(5));
        int[] deep = counted(given.depth(), window.depth(), shape[2], padding);
        int[] high = counted(given.image().rows(), image.rows(), shape[3], padding);
        int[] wide = counted(given.image().columns(), image.columns(), shape[4], padding);
        float[] factors = new float[deep.length * high.length * wide.length];
        for (int i = 0; i < factors.length; i++) {
            factors[i] = (float) (area / ((double) deep[i / wide.length / high.length] * high[i / wide.length % high.length] * wide[i % wide.length]));
        }
        boolean same = true;
        for (float factor : factors) {
            same &= factor == factors[0];
        }
        if (same) {
            define(scope, node.output(), factors[0] == 1 ? sum : net.mul(sum, factors[0]));
            return;
        }
        // A volume after the other: each has the same windows.
        Term flat = net.reshape(sum, shape[0], deep.length, high.length * wide.length, shape[1]);
        Term mean = net.mul(flat, net.floats(factors, 1, deep.length, high.length * wide.length, 1));
        define(scope, node.output(), net.reshape(mean, shape[0] * deep.length, high.length, wide.length, shape[1]));
    }

    /** How many elements each window of one direction is divided by: those within the size, or within it and its padding, but not what makes the last one count. */
    private static int[] counted(Frame.Axis given, Frame.Axis window, int size, boolean padding) {
        int[] counts = new int[window.count(size)];
        for (int i = 0; i < counts.length; i++) {
            int begin = i * window.stride() - window.before();
            int end = Math.min(begin + window.kernel(), size + given.after());
            counts[i] = padding ? end - begin : Math.min(end, size) - Math.max(begin, 0);
        }
        return counts;
    }

    /** A reduction of one dimension. */
    interface Reduction extends BiFunction<Term, Integer, Term> {
    }

    /** Bands of each direction come to one value each. */
    private static void adaptive(Node node, Scope scope, Value out, Reduction reduction) {
        int[] from = volume(scope, node.input(0)).shape();
        int[] to = scope.facts(out).shape();
        if (node.outputs().size() > 1 && node.output(1).isUsed()) {
            throw new Refused("pools have no places", "places that are used", "values only", "");
        }
        NetBuilder net = scope.net();
        Term volume = net.reshape(images(scope, node.input(0)), from[0], from[2] * from[3] * from[4], from[1]);
        if (to[2] == 1 && to[3] == 1 && to[4] == 1) {
            define(scope, out, reduction.apply(volume, 1));
            return;
        }
        int[] dims = {from[0], from[2], from[3], from[4], from[1]};
        for (int d = 1; d <= 3; d++) {
            volume = Pools.bands(net, net.reshape(volume, product(dims, 0, d), dims[d], product(dims, d + 1, dims.length)), 1, to[1 + d], reduction);
            dims[d] = to[1 + d];
        }
        define(scope, out, net.reshape(volume, dims[0] * dims[1], dims[2], dims[3], dims[4]));
    }

    private static int product(int[] dims, int from, int to) {
        return Arrays.stream(dims, from, to).reduce(1, Math::multiplyExact);
    }

    /** One transposed convolution of images for each place of a window over depth; their results are added where windows meet. */
    static void transposed(Node node, Scope scope, Value outputPadding, Value grouping, Value dilations) {
        int[] shape = volume(scope, node.input(0)).shape();
        int[] to = scope.facts(node.output()).shape();
        Tensor weight = scope.tensor(node.input(1)).contiguous();
        int groups = Math.toIntExact(scope.integer(grouping));
        int[] kernel = {weight.size(2), weight.size(3), weight.size(4)};
        Window window = Window.of(kernel, scope.integers(node.input(3)), scope.integers(node.input(4)), scope.integers(dilations));
        int[] extra = Window.three(scope.integers(outputPadding));
        NetBuilder net = scope.net();
        Term images = images(scope, node.input(0));
        int stride = window.depth().stride();
        int reach = window.depth().dilation() * (kernel[0] - 1);
        int area = to[3] * to[4] * to[1];
        Term sum = null;
        for (int i = 0; i < kernel[0]; i++) {
            int[] sizes = {weight.size(0), weight.size(1), kernel[1], kernel[2]};
            int[] strides = {weight.strides()[0], weight.strides()[1], weight.strides()[3], weight.strides()[4]};
            Tensor own = weight.asStrided(sizes, strides, weight.offset() + i * weight.strides()[2]);
            Term made = Convolutions.transposed(net, images, own, null, window.image(), groups, extra[1], extra[2]);
            Term spread = net.pad(net.reshape(made, shape[0], shape[2], 1, area), new int[4], new int[] {0, 0, stride - 1, 0}, 0);
            int before = i * window.depth().dilation();
            Term placed = net.pad(net.reshape(spread, shape[0], shape[2] * stride, area), new int[] {0, before, 0}, new int[] {0, reach - before, 0}, 0);
            sum = sum == null ? placed : net.add(sum, placed);
        }
        int from = window.depth().before();
        int missing = Math.max(0, from + to[2] - sum.dims()[1]);
        Term longer = missing == 0 ? sum : net.pad(sum, new int[3], new int[] {0, missing, 0}, 0);
        Term cut = net.reshape(net.slice(longer, 1, from, from + to[2], 1), to[0] * to[2], to[3], to[4], to[1]);
        Value bias = scope.optional(node, 2);
        define(scope, node.output(), bias == null ? cut : net.add(cut, net.constant(scope.tensor(bias))));
    }

    /** Gathers or weighs neighbours along each of the three directions. */
    interface Direction {
        /** @param rows (before, size, behind) */
        Term of(Term rows, int size, int target, int axis);
    }

    /** A volume brought to another size, one direction after the other. */
    static void resized(Node node, Scope scope, Direction direction) {
        int[] dims = volume(scope, node.input(0)).shape();
        int[] to = scope.facts(node.output()).shape();
        NetBuilder net = scope.net();
        Term volume = scope.plain(node.input(0));
        for (int axis = 0; axis < 3; axis++) {
            int d = 2 + axis;
            volume = direction.of(net.reshape(volume, product(dims, 0, d), dims[d], product(dims, d + 1, dims.length)), dims[d], to[d], axis);
            dims[d] = to[d];
        }
        scope.define(node.output(), net.reshape(volume, Shapes.dims(dims)));
    }
}
