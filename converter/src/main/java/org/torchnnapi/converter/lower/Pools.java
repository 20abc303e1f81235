package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.WindowAxis;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Largest and mean values of windows, of given or of adaptive size. */
final class Pools implements NodeFamily {
    private static final int[] NONE = {0, 0};
    private static final int[] ONE = {1, 1};
    /** Order of the dimensions of an image without a batch. */
    private static final int[] IMAGE_ALONE = {1, 2, 0};

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::max_pool2d", Pools::max);
        table.plan("aten::max_pool2d_with_indices", Pools::max);
        table.put("aten::avg_pool2d", Pools::average);
        table.put("aten::adaptive_avg_pool2d", Pools::adaptiveAverage);
        table.put("aten::_adaptive_avg_pool2d", Pools::adaptiveAverage);
        table.plan("aten::adaptive_max_pool2d", Pools::adaptiveMax);
        table.plan("aten::max_unpool2d", PoolPlaces::unpool);
    }

    private static LoweringPlan max(Node node, LoweringContext context) {
        context.requireReal(node.input(0));
        LoweringFrame given = LoweringFrame.of(
                context.integers(node.input(1)),
                context.integers(node.input(2)),
                context.integers(node.input(3)),
                context.integers(node.input(4)));
        TensorFacts known = context.facts(node.input(0));
        int height = known.size(known.rank() - 2);
        int width = known.size(known.rank() - 1);
        LoweringFrame frame = context.flag(node.input(5)) ? given.ceil(height, width) : given;
        boolean placed = node.outputs().size() > 1 && node.output(1).isUsed();
        if (placed || frame.isDilated()) {
            context.requireFloat(node.input(0));
        }
        return LoweringPlan.unless(placed ? PoolPlaces.unfit(frame, height, width) : null, () -> {
            OperandRef image = image(context, node.input(0));
            if (placed) {
                PoolPlaces.define(node, context, image, frame);
            } else {
                define(context, node.output(0), largest(context.nnapi(), image, frame));
            }
        });
    }

    /** The largest values of windows; of dilated ones the larger of the images that each place of the window meets. */
    static OperandRef largest(NnapiBuilder nnapi, OperandRef image, LoweringFrame frame) {
        if (frame.isSingle()) {
            return image;
        }
        if (!frame.isDilated()) {
            return nnapi.windows().pool(OperationType.MAX_POOL_2D, image, frame);
        }
        LoweringFrame.Axis[] axes = {frame.rows(), frame.columns()};
        OperandRef most = nnapi.windows().padded(image, frame, -Float.MAX_VALUE);
        for (int axis = 0; axis < 2; axis++) {
            OperandRef all = most;
            OperandRef joined = null;
            int count = axes[axis].count(image.dims()[1 + axis]);
            for (int i = 0; i < axes[axis].kernel(); i++) {
                OperandRef met = nnapi.windows().met(all, 1 + axis, axes[axis], i, count);
                joined = joined == null ? met : nnapi.binary(OperationType.MAXIMUM, joined, met);
            }
            most = joined;
        }
        return most;
    }

    /**
     * NNAPI never counts padding in an average: one that does is taken over a padded image. What rounding up adds to
     * the last windows counts for PyTorch only where a divisor is given.
     */
    private static void average(Node node, LoweringContext context) {
        context.requireReal(node.input(0));
        NnapiBuilder nnapi = context.nnapi();
        LoweringFrame frame = LoweringFrame.of(
                context.integers(node.input(1)), context.integers(node.input(2)), context.integers(node.input(3)), ONE);
        OperandRef image = image(context, node.input(0));
        boolean ceil = context.flag(node.input(4));
        boolean countPadding = context.flag(node.input(5));
        Value divisor = context.optional(node, 6);
        LoweringFrame counted = frame;
        if (ceil) {
            frame = frame.ceil(image.dims()[1], image.dims()[2]);
        }
        if (divisor != null) {
            counted = frame;
        }
        if ((countPadding || divisor != null) && counted.isPadded()) {
            LoweringFrame.Axis rows = frame.rows().within(counted.rows());
            LoweringFrame.Axis columns = frame.columns().within(counted.columns());
            image = nnapi.windows().padded(image, new LoweringFrame(rows, columns), 0);
            frame = new LoweringFrame(
                    frame.rows().without(rows), frame.columns().without(columns));
        }
        OperandRef out = nnapi.windows().pool(OperationType.AVERAGE_POOL_2D, image, frame);
        if (divisor != null) {
            context.requireFloat(node.input(0));
            out = nnapi.mul(
                    out, (double) frame.rows().kernel() * frame.columns().kernel() / context.integer(divisor));
        }
        define(context, node.output(), out);
    }

    private static void adaptiveAverage(Node node, LoweringContext context) {
        context.requireReal(node.input(0));
        TensorFacts to = context.facts(node.output());
        TensorFacts known = context.facts(node.input(0));
        if (to.equals(known)) {
            context.alias(node.output(), node.input(0));
            return;
        }
        OperandRef image = image(context, node.input(0));
        int[] target = {to.size(to.rank() - 2), to.size(to.rank() - 1)};
        LoweringFrame frame = even(image.dims()[1], image.dims()[2], target);
        if (frame != null) {
            define(context, node.output(), context.nnapi().windows().pool(OperationType.AVERAGE_POOL_2D, image, frame));
            return;
        }
        NnapiBuilder nnapi = context.nnapi();
        BiFunction<OperandRef, Integer, OperandRef> mean = (x, d) -> nnapi.mean(x, d);
        OperandRef real = image.isQuantized() ? nnapi.dequantize(image) : image;
        OperandRef made = bands(nnapi, bands(nnapi, real, 1, target[0], mean), 2, target[1], mean);
        define(
                context,
                node.output(),
                image.isQuantized() ? nnapi.quantize(made, image.scale(), image.zeroPoint()) : made);
    }

    private static LoweringPlan adaptiveMax(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        TensorFacts known = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output(0));
        int height = known.size(known.rank() - 2);
        int width = known.size(known.rank() - 1);
        int[] target = {to.size(to.rank() - 2), to.size(to.rank() - 1)};
        LoweringFrame frame = even(height, width, target);
        Reason unfit = !node.output(1).isUsed()
                ? null
                : frame == null ? PoolPlaces.unfit(target, height, width) : PoolPlaces.unfit(frame, height, width);
        return LoweringPlan.unless(unfit, () -> adaptiveMax(node, context, frame, target));
    }

    private static void adaptiveMax(Node node, LoweringContext context, LoweringFrame frame, int... target) {
        NnapiBuilder nnapi = context.nnapi();
        OperandRef image = image(context, node.input(0));
        if (node.output(1).isUsed()) {
            if (frame == null) {
                PoolPlaces.ofBands(node, context, image, target);
            } else {
                PoolPlaces.define(node, context, image, frame);
            }
            return;
        }
        if (frame != null) {
            define(context, node.output(0), nnapi.windows().pool(OperationType.MAX_POOL_2D, image, frame));
            return;
        }
        BiFunction<OperandRef, Integer, OperandRef> largest = (x, d) -> nnapi.reduce(OperationType.REDUCE_MAX, x, d);
        define(
                context,
                node.output(0),
                bands(nnapi, bands(nnapi, image, 1, target[0], largest), 2, target[1], largest));
    }

    /** Windows of one size that lie beside each other, or null where there are none. */
    private static LoweringFrame even(int height, int width, int... target) {
        return height % target[0] != 0 || width % target[1] != 0
                ? null
                : LoweringFrame.of(new int[] {height / target[0], width / target[1]}, new int[0], NONE, ONE);
    }

    /** A feature map, (C, H, W) as a batch of one. */
    static OperandRef image(LoweringContext context, Value value) {
        TensorFacts known = context.facts(value);
        return known.rank() != IMAGE_ALONE.length
                ? context.image(value)
                : context.nnapi()
                        .reshape(context.in(value, IMAGE_ALONE), 1, known.size(1), known.size(2), known.size(0));
    }

    /** Gives a value a feature map, or that of a batch of one. */
    static void define(LoweringContext context, Value value, OperandRef image) {
        if (context.facts(value).rank() == IMAGE_ALONE.length) {
            context.define(
                    value,
                    context.nnapi().reshape(image, image.dims()[1], image.dims()[2], image.dims()[3]),
                    IMAGE_ALONE);
        } else {
            context.define(value, image, LoweringContext.IMAGE);
        }
    }

    /** What bands of one direction come to, whose ends are rounded outwards as PyTorch has them. */
    static OperandRef bands(
            NnapiBuilder nnapi,
            OperandRef image,
            int dimension,
            int count,
            BiFunction<OperandRef, Integer, OperandRef> reduction) {
        int size = image.dims()[dimension];
        List<OperandRef> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int[] ends = band(i, size, count);
            OperandRef band = nnapi.slice(image, dimension, ends[0], ends[1], 1);
            parts.add(ends[1] - ends[0] == 1 ? band : reduction.apply(band, dimension));
        }
        return nnapi.concatenate(parts, dimension);
    }

    /** Where one of so many bands begins and ends. */
    static int[] band(int i, int size, int count) {
        return new int[] {WindowAxis.partStart(size, count, i), WindowAxis.partEnd(size, count, i)};
    }
}
