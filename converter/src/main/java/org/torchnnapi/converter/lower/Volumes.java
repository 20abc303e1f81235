package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Convolutions and pools of volumes, (N, C, D, H, W), as operations on images: a volume is N D images of H, W, C, and a
 * window over D is one image operation for each of its places, whose results are added. It is also N images of D, H W,
 * C, over which a window of depth alone is one operation.
 */
final class Volumes implements NodeFamily {
    static final int RANK = 5;
    /**
     * Places over depth of which all parts of a window in the padding are left out: seven operations at most, for
     * three.
     */
    private static final int FEW = 3;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::max_pool3d", Volumes::max);
        table.plan("aten::avg_pool3d", Volumes::average);
        table.plan(
                "aten::adaptive_avg_pool3d",
                (node, context) -> adaptive(
                        node, context, node.output(), (x, d) -> context.nnapi().mean(x, d)));
        table.plan(
                "aten::adaptive_max_pool3d",
                (node, context) -> adaptive(
                        node,
                        context,
                        node.output(0),
                        (x, d) -> context.nnapi().reduce(OperationType.REDUCE_MAX, x, d)));
    }

    /** A window over depth, and one over the images. */
    private record Window(LoweringFrame.Axis depth, LoweringFrame image) {
        static Window of(int[] kernel, int[] stride, int[] padding, int[] dilation) {
            int[] k = three(kernel);
            int[] s = three(stride.length == 0 ? kernel : stride);
            int[] p = three(padding);
            int[] d = three(dilation);
            LoweringFrame depth = LoweringFrame.of(
                    new int[] {k[0], 1}, new int[] {s[0], 1}, new int[] {p[0], 0}, new int[] {d[0], 1});
            return new Window(
                    depth.rows(),
                    LoweringFrame.of(new int[] {k[1], k[2]}, new int[] {s[1], s[2]}, new int[] {p[1], p[2]}, new int[] {
                        d[1], d[2]
                    }));
        }

        /** Padding by name: {@code same}, of steps of 1, puts the odd element at the end. */
        static Window named(String name, int[] kernel, int[] stride, int[] dilation) {
            Window plain = of(kernel, stride, new int[] {0}, dilation);
            return name.equals("valid")
                    ? plain
                    : new Window(
                            Convolutions.same(plain.depth()),
                            new LoweringFrame(
                                    Convolutions.same(plain.image().rows()),
                                    Convolutions.same(plain.image().columns())));
        }

        /** The window over images of (D, H W) pixels where it is one pixel high and wide, or else null. */
        LoweringFrame alone() {
            return image.isSingle() ? overDepth(depth) : null;
        }

        private static int[] three(int[] values) {
            if (values.length != 1 && values.length != 3) {
                throw new IllegalArgumentException(
                        "window: " + Arrays.toString(values) + " (expected: one or three numbers)");
            }
            return values.length == 1 ? new int[] {values[0], values[0], values[0]} : values;
        }
    }

    private static LoweringFrame overDepth(LoweringFrame.Axis depth) {
        return new LoweringFrame(depth, new LoweringFrame.Axis(1, 1, 0, 0, 1));
    }

    /** Why a value is no volume; null where it is one. */
    private static Reason unfit(LoweringContext context, Value value) {
        context.requireFloat(value);
        TensorFacts known = context.facts(value);
        return known.rank() == RANK
                ? null
                : new Reason(
                        "volumes have five dimensions",
                        known.toString(),
                        "rank 5 (N, C, D, H, W)",
                        "add a batch dimension");
    }

    private static OperandRef images(LoweringContext context, Value value) {
        int[] shape = context.facts(value).shape();
        return context.nnapi()
                .reshape(context.in(value, LoweringContext.VOLUME), shape[0] * shape[2], shape[3], shape[4], shape[1]);
    }

    static LoweringPlan convolution(Node node, LoweringContext context, Value grouping) {
        Reason unfit = unfit(context, node.input(0));
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        int[] shape = context.facts(node.input(0)).shape();
        Tensor weight = context.tensor(node.input(1)).contiguous();
        Tensor bias = context.optional(node, 2) == null ? null : context.tensor(node.input(2));
        int groups = context.int32(grouping);
        int[] kernel = {weight.size(2), weight.size(3), weight.size(4)};
        int[] dilations = context.integers(node.input(5));
        Window window = context.constant(node.input(4)) instanceof String name
                ? Window.named(name, kernel, context.integers(node.input(3)), dilations)
                : Window.of(kernel, context.integers(node.input(3)), context.integers(node.input(4)), dilations);
        boolean depthwise = groups != 1 && groups == shape[1] && weight.size(1) == 1;
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            LoweringFrame alone = window.alone();
            if (alone != null) {
                int[] sizes = {weight.size(0), weight.size(1), weight.size(2), 1};
                Tensor own = weight.asStrided(sizes, Shape.contiguousStrides(sizes), weight.offset());
                define(
                        context,
                        node.output(),
                        nnapi.windows()
                                .convolution(
                                        nnapi.reshape(
                                                images(context, node.input(0)),
                                                shape[0],
                                                shape[2],
                                                shape[3] * shape[4],
                                                shape[1]),
                                        nnapi.constant(
                                                own, depthwise ? Convolutions.IN_FIRST : Convolutions.OUT_LAST_IN),
                                        bias == null ? nnapi.zeros(weight.size(0)) : nnapi.constant(bias),
                                        alone,
                                        depthwise ? 1 : groups,
                                        depthwise));
                return;
            }
            Place place = (image, i, first) -> {
                return nnapi.windows()
                        .convolution(
                                image,
                                nnapi.constant(
                                        plane(weight, i), depthwise ? Convolutions.IN_FIRST : Convolutions.OUT_LAST_IN),
                                bias == null || !first ? nnapi.zeros(weight.size(0)) : nnapi.constant(bias),
                                window.image(),
                                depthwise ? 1 : groups,
                                depthwise);
            };
            define(context, node.output(), along(context, node.input(0), window.depth(), place));
        };
    }

    /** The weights of one place of a window over depth. */
    private static Tensor plane(Tensor weight, int place) {
        int[] strides = weight.strides();
        return weight.asStrided(
                new int[] {weight.size(0), weight.size(1), weight.size(3), weight.size(4)},
                new int[] {strides[0], strides[1], strides[3], strides[4]},
                weight.offset() + place * strides[2]);
    }

    /** The image operation of one place of a window over depth. */
    private interface Place {
        /** @param first whether it is the first of those that are added */
        OperandRef apply(OperandRef images, int place, boolean first);
    }

    /**
     * Windows over depth, one after the other, that meet the volume at the same places: others lie in the padding.
     *
     * @param from the first window
     * @param count how many
     * @param begin the first place
     * @param end behind the last place
     */
    private record Alike(int from, int count, int begin, int end) {
        static List<Alike> of(LoweringFrame.Axis depth, int size) {
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
     * A convolution over depth: windows that meet the volume at the same places are computed together, at those places
     * alone, unless that makes many operations of what little lies in the padding. What is done hangs on the depth
     * alone, so that other sizes may stay open.
     */
    private static OperandRef along(LoweringContext context, Value in, LoweringFrame.Axis depth, Place place) {
        int[] shape = context.facts(in).shape();
        List<Alike> parts = Alike.of(depth, shape[2]);
        int met = parts.stream().mapToInt(part -> part.count() * part.places()).sum();
        boolean few = parts.size() == 1 || depth.kernel() <= FEW || met < 0.75 * depth.kernel() * depth.count(shape[2]);
        if (!few || parts.stream().anyMatch(part -> part.places() == 0)) {
            return sum(context, in, depth, place);
        }
        NnapiBuilder nnapi = context.nnapi();
        int batch = shape[0];
        OperandRef rows = rows(context, in, shape);
        List<OperandRef> made = new ArrayList<>();
        int[] dims = null;
        for (Alike part : parts) {
            OperandRef sum = null;
            for (int i = part.begin(); i < part.end(); i++) {
                int from = part.from() * depth.stride() - depth.before() + i * depth.dilation();
                OperandRef slice = nnapi.slice(
                        rows, batch == 1 ? 0 : 1, from, from + (part.count() - 1) * depth.stride() + 1, depth.stride());
                OperandRef one = place.apply(
                        nnapi.reshape(slice, batch * part.count(), shape[3], shape[4], shape[1]), i, sum == null);
                sum = sum == null ? one : nnapi.add(sum, one);
            }
            dims = sum.dims();
            made.add(
                    batch == 1 || parts.size() == 1
                            ? sum
                            : nnapi.reshape(sum, batch, part.count(), dims[1] * dims[2] * dims[3]));
        }
        OperandRef all = nnapi.concatenate(made, batch == 1 ? 0 : 1);
        return nnapi.reshape(all, batch * depth.count(shape[2]), dims[1], dims[2], dims[3]);
    }

    /**
     * The sum of one image operation for each place of a window over depth, over the images that it meets there, padded
     * ones too.
     */
    private static OperandRef sum(LoweringContext context, Value in, LoweringFrame.Axis depth, Place place) {
        int[] shape = context.facts(in).shape();
        NnapiBuilder nnapi = context.nnapi();
        int batch = shape[0];
        OperandRef rows = rows(context, in, shape);
        int at = batch == 1 ? 0 : 1;
        int[] before = new int[rows.rank()];
        int[] after = new int[rows.rank()];
        before[at] = depth.before();
        after[at] = depth.after();
        OperandRef padded = depth.before() + depth.after() == 0 ? rows : nnapi.pad(rows, before, after, 0);
        int count = depth.count(shape[2]);
        OperandRef sum = null;
        for (int i = 0; i < depth.kernel(); i++) {
            OperandRef met = nnapi.windows().met(padded, at, depth, i, count);
            OperandRef made = place.apply(nnapi.reshape(met, batch * count, shape[3], shape[4], shape[1]), i, i == 0);
            sum = sum == null ? made : nnapi.add(sum, made);
        }
        return sum;
    }

    /** Volumes cut along depth, (N, D, H W C); of one volume the images, a batch of which others keep their layout. */
    private static OperandRef rows(LoweringContext context, Value in, int[] shape) {
        OperandRef images = images(context, in);
        return shape[0] == 1
                ? images
                : context.nnapi().reshape(images, shape[0], shape[2], shape[3] * shape[4] * shape[1]);
    }

    private static void define(LoweringContext context, Value value, OperandRef images) {
        context.define(value, images, LoweringContext.VOLUME);
    }

    private static LoweringPlan max(Node node, LoweringContext context) {
        Reason unfit = unfit(context, node.input(0));
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        Window window = Window.of(
                context.integers(node.input(1)),
                context.integers(node.input(2)),
                context.integers(node.input(3)),
                context.integers(node.input(4)));
        int[] shape = context.facts(node.input(0)).shape();
        boolean ceil = context.flag(node.input(5));
        LoweringFrame.Axis depth = ceil ? window.depth().ceil(shape[2]) : window.depth();
        LoweringFrame image = ceil ? window.image().ceil(shape[3], shape[4]) : window.image();
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef wide = Pools.largest(nnapi, images(context, node.input(0)), image);
            int[] dims = wide.dims();
            define(
                    context,
                    node.output(),
                    Pools.largest(
                            nnapi,
                            nnapi.reshape(wide, shape[0], shape[2], dims[1] * dims[2], dims[3]),
                            overDepth(depth)));
        };
    }

    private static LoweringPlan average(Node node, LoweringContext context) {
        Reason unfit = unfit(context, node.input(0));
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        Window given = Window.of(
                context.integers(node.input(1)),
                context.integers(node.input(2)),
                context.integers(node.input(3)),
                new int[] {1});
        int[] shape = context.facts(node.input(0)).shape();
        boolean ceil = context.flag(node.input(4));
        Window window =
                ceil ? new Window(given.depth().ceil(shape[2]), given.image().ceil(shape[3], shape[4])) : given;
        LoweringFrame image = window.image();
        Value divisor = context.optional(node, 6);
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef sum = sum(
                    context,
                    node.input(0),
                    window.depth(),
                    (met, i, first) -> nnapi.windows()
                            .pool(
                                    OperationType.AVERAGE_POOL_2D,
                                    nnapi.windows().padded(met, image, 0),
                                    image.unpadded()));
            double area = (double) image.rows().kernel() * image.columns().kernel();
            if (divisor != null) {
                double factor = area / context.integer(divisor);
                define(context, node.output(), factor == 1 ? sum : nnapi.mul(sum, factor));
                return;
            }
            boolean padding = context.flag(node.input(5));
            int[] deep = counted(given.depth(), window.depth(), shape[2], padding);
            int[] high = counted(given.image().rows(), image.rows(), shape[3], padding);
            int[] wide = counted(given.image().columns(), image.columns(), shape[4], padding);
            float[] factors = new float[deep.length * high.length * wide.length];
            for (int i = 0; i < factors.length; i++) {
                factors[i] = (float) (area
                        / ((double) deep[i / wide.length / high.length]
                                * high[i / wide.length % high.length]
                                * wide[i % wide.length]));
            }
            boolean same = true;
            for (float factor : factors) {
                same &= factor == factors[0];
            }
            if (same) {
                define(context, node.output(), factors[0] == 1 ? sum : nnapi.mul(sum, factors[0]));
                return;
            }
            // A volume after the other: each has the same windows.
            OperandRef flat = nnapi.reshape(sum, shape[0], deep.length, high.length * wide.length, shape[1]);
            OperandRef mean = nnapi.mul(flat, nnapi.floats(factors, 1, deep.length, high.length * wide.length, 1));
            define(
                    context,
                    node.output(),
                    nnapi.reshape(mean, shape[0] * deep.length, high.length, wide.length, shape[1]));
        };
    }

    /**
     * How many elements each window of one direction is divided by: those within the size, or within it and its
     * padding, but not what makes the last one count.
     */
    private static int[] counted(LoweringFrame.Axis given, LoweringFrame.Axis window, int size, boolean padding) {
        int[] counts = new int[window.count(size)];
        for (int i = 0; i < counts.length; i++) {
            int begin = i * window.stride() - window.before();
            int end = Math.min(begin + window.kernel(), size + given.after());
            counts[i] = padding ? end - begin : Math.min(end, size) - Math.max(begin, 0);
        }
        return counts;
    }

    /** A reduction of one dimension. */
    interface Reduction extends BiFunction<OperandRef, Integer, OperandRef> {}

    /** Bands of each direction come to one value each. */
    private static LoweringPlan adaptive(Node node, LoweringContext context, Value out, Reduction reduction) {
        Reason unfit = unfit(context, node.input(0));
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        int[] from = context.facts(node.input(0)).shape();
        int[] to = context.facts(out).shape();
        if (node.outputs().size() > 1 && node.output(1).isUsed()) {
            return LoweringPlan.refused("pools have no places", "places that are used", "values only");
        }
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef volume =
                    nnapi.reshape(images(context, node.input(0)), from[0], from[2] * from[3] * from[4], from[1]);
            if (to[2] == 1 && to[3] == 1 && to[4] == 1) {
                define(context, out, reduction.apply(volume, 1));
                return;
            }
            int[] dims = {from[0], from[2], from[3], from[4], from[1]};
            for (int d = 1; d <= 3; d++) {
                volume = Pools.bands(
                        nnapi,
                        nnapi.reshape(
                                volume, Shapes.product(dims, 0, d), dims[d], Shapes.product(dims, d + 1, dims.length)),
                        1,
                        to[1 + d],
                        reduction);
                dims[d] = to[1 + d];
            }
            define(context, out, nnapi.reshape(volume, dims[0] * dims[1], dims[2], dims[3], dims[4]));
        };
    }

    /**
     * One transposed convolution of images for each place of a window over depth; their results are added where windows
     * meet.
     */
    static LoweringPlan transposed(
            Node node, LoweringContext context, Value outputPadding, Value grouping, Value dilations) {
        Reason unfit = unfit(context, node.input(0));
        if (unfit != null) {
            return LoweringPlan.refused(unfit);
        }
        int[] shape = context.facts(node.input(0)).shape();
        int[] to = context.facts(node.output()).shape();
        Tensor weight = context.tensor(node.input(1)).contiguous();
        int groups = context.int32(grouping);
        int[] kernel = {weight.size(2), weight.size(3), weight.size(4)};
        Window window = Window.of(
                kernel, context.integers(node.input(3)), context.integers(node.input(4)), context.integers(dilations));
        int[] extra = Window.three(context.integers(outputPadding));
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef images = images(context, node.input(0));
            int stride = window.depth().stride();
            int reach = window.depth().dilation() * (kernel[0] - 1);
            int area = to[3] * to[4] * to[1];
            OperandRef sum = null;
            for (int i = 0; i < kernel[0]; i++) {
                OperandRef made = Convolutions.transposed(
                        nnapi, images, plane(weight, i), null, window.image(), groups, extra[1], extra[2]);
                OperandRef spread = nnapi.pad(
                        nnapi.reshape(made, shape[0], shape[2], 1, area),
                        new int[4],
                        new int[] {0, 0, stride - 1, 0},
                        0);
                int before = i * window.depth().dilation();
                OperandRef placed = nnapi.pad(
                        nnapi.reshape(spread, shape[0], shape[2] * stride, area),
                        new int[] {0, before, 0},
                        new int[] {0, reach - before, 0},
                        0);
                sum = sum == null ? placed : nnapi.add(sum, placed);
            }
            int from = window.depth().before();
            int missing = Math.max(0, from + to[2] - sum.dims()[1]);
            OperandRef longer = missing == 0 ? sum : nnapi.pad(sum, new int[3], new int[] {0, missing, 0}, 0);
            OperandRef cut =
                    nnapi.reshape(nnapi.slice(longer, 1, from, from + to[2], 1), to[0] * to[2], to[3], to[4], to[1]);
            Value bias = context.optional(node, 2);
            define(context, node.output(), bias == null ? cut : nnapi.add(cut, nnapi.constant(context.tensor(bias))));
        };
    }
}
