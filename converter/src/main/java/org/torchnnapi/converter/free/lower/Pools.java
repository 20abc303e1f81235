package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Largest and mean values of windows, of given or of adaptive size. */
final class Pools implements NodeFamily {
    private static final int[] NONE = {0, 0};
    private static final int[] ONE = {1, 1};
    /** Order of the dimensions of an image without a batch. */
    private static final int[] IMAGE_ALONE = {1, 2, 0};

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::max_pool2d", Pools::max);
        table.put("aten::max_pool2d_with_indices", Pools::max);
        table.put("aten::avg_pool2d", Pools::average);
        table.put("aten::adaptive_avg_pool2d", Pools::adaptiveAverage);
        table.put("aten::adaptive_max_pool2d", Pools::adaptiveMax);
        table.put("aten::max_unpool2d", PoolPlaces::unpool);
    }

    private static void max(Node node, Scope scope) {
        requireReal(node, scope);
        Frame frame = Frame.of(scope.integers(node.input(1)), scope.integers(node.input(2)), scope.integers(node.input(3)), scope.integers(node.input(4)));
        Term image = image(scope, node.input(0));
        if (frame.isDilated()) {
            scope.requireFloat(node.input(0));
        }
        if (scope.flag(node.input(5))) {
            frame = frame.ceil(image.dims()[1], image.dims()[2]);
        }
        if (node.outputs().size() > 1 && node.output(1).isUsed()) {
            PoolPlaces.define(node, scope, image, frame);
            return;
        }
        define(scope, node.output(0), largest(scope.net(), image, frame));
    }

    /** The largest values of windows; of dilated ones the larger of the images that each place of the window meets. */
    static Term largest(NetBuilder net, Term image, Frame frame) {
        if (frame.isSingle()) {
            return image;
        }
        if (!frame.isDilated()) {
            return net.windows().pool(OperationType.MAX_POOL_2D, image, frame);
        }
        Frame.Axis[] axes = {frame.rows(), frame.columns()};
        Term padded = !frame.isPadded() ? image : net.pad(image, new int[] {0, axes[0].before(), axes[1].before(), 0},
            new int[] {0, axes[0].after(), axes[1].after(), 0}, -Float.MAX_VALUE);
        Term most = padded;
        for (int axis = 0; axis < 2; axis++) {
            Term all = most;
            Term joined = null;
            int count = axes[axis].count(image.dims()[1 + axis]);
            for (int i = 0; i < axes[axis].kernel(); i++) {
                int from = i * axes[axis].dilation();
                Term met = net.slice(all, 1 + axis, from, from + (count - 1) * axes[axis].stride() + 1, axes[axis].stride());
                joined = joined == null ? met : net.binary(OperationType.MAXIMUM, joined, met);
            }
            most = joined;
        }
        return most;
    }

    private static void requireReal(Node node, Scope scope) {
        if (scope.facts(node.input(0)).quantization() == null) {
            scope.requireFloat(node.input(0));
        }
    }

    /** NNAPI never counts padding in an average: one that does is taken over a padded image. */
    private static void average(Node node, Scope scope) {
        requireReal(node, scope);
        NetBuilder net = scope.net();
        Frame frame = Frame.of(scope.integers(node.input(1)), scope.integers(node.input(2)), scope.integers(node.input(3)), ONE);
        Term image = image(scope, node.input(0));
        boolean ceil = scope.flag(node.input(4));
        boolean countPadding = scope.flag(node.input(5));
        Value divisor = scope.optional(node, 6);
        if (divisor != null && ceil) {
            throw new Refused("NNAPI divides by the number of elements", "divisor_override with ceil_mode", "one of them", "");
        }
        if ((countPadding || divisor != null) && frame.isPadded()) {
            image = net.pad(image, new int[] {0, frame.rows().before(), frame.columns().before(), 0},
                new int[] {0, frame.rows().after(), frame.columns().after(), 0}, 0);
            frame = frame.unpadded();
        }
        if (ceil) {
            frame = frame.ceil(image.dims()[1], image.dims()[2]);
        }
        Term out = net.windows().pool(OperationType.AVERAGE_POOL_2D, image, frame);
        if (divisor != null) {
            scope.requireFloat(node.input(0));
            out = net.mul(out, (double) frame.rows().kernel() * frame.columns().kernel() / scope.integer(divisor));
        }
        define(scope, node.output(), out);
    }

    private static void adaptiveAverage(Node node, Scope scope) {
        requireReal(node, scope);
        TensorFacts to = scope.facts(node.output());
        TensorFacts known = scope.facts(node.input(0));
        if (to.equals(known)) {
            scope.alias(node.output(), node.input(0));
            return;
        }
        Term image = image(scope, node.input(0));
        int[] target = {to.size(to.rank() - 2), to.size(to.rank() - 1)};
        Frame frame = even(image, target);
        if (frame != null) {
            define(scope, node.output(), scope.net().windows().pool(OperationType.AVERAGE_POOL_2D, image, frame));
            return;
        }
        NetBuilder net = scope.net();
        BiFunction<Term, Integer, Term> mean = (x, d) -> net.mean(x, d);
        Term real = image.isQuantized() ? net.dequantize(image) : image;
        Term made = bands(net, bands(net, real, 1, target[0], mean), 2, target[1], mean);
        define(scope, node.output(), image.isQuantized() ? net.quantize(made, image.scale(), image.zeroPoint()) : made);
    }

    private static void adaptiveMax(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        TensorFacts to = scope.facts(node.output(0));
        NetBuilder net = scope.net();
        Term image = image(scope, node.input(0));
        int[] target = {to.size(to.rank() - 2), to.size(to.rank() - 1)};
        Frame frame = even(image, target);
        if (node.output(1).isUsed()) {
            if (frame == null) {
                PoolPlaces.ofBands(node, scope, image, target);
            } else {
                PoolPlaces.define(node, scope, image, frame);
            }
            return;
        }
        if (frame != null) {
            define(scope, node.output(0), net.windows().pool(OperationType.MAX_POOL_2D, image, frame));
            return;
        }
        BiFunction<Term, Integer, Term> largest = (x, d) -> net.reduce(OperationType.REDUCE_MAX, x, d);
        define(scope, node.output(0), bands(net, bands(net, image, 1, target[0], largest), 2, target[1], largest));
    }

    /** Windows of one size that lie beside each other, or null where there are none. */
    private static Frame even(Term image, int... target) {
        int[] dims = image.dims();
        return dims[1] % target[0] != 0 || dims[2] % target[1] != 0 ? null
            : Frame.of(new int[] {dims[1] / target[0], dims[2] / target[1]}, new int[0], NONE, ONE);
    }

    /** A feature map, (C, H, W) as a batch of one. */
    static Term image(Scope scope, Value value) {
        TensorFacts known = scope.facts(value);
        return known.rank() != IMAGE_ALONE.length ? scope.image(value)
            : scope.net().reshape(scope.in(value, IMAGE_ALONE), 1, known.size(1), known.size(2), known.size(0));
    }

    /** Gives a value a feature map, or that of a batch of one. */
    static void define(Scope scope, Value value, Term image) {
        if (scope.facts(value).rank() == IMAGE_ALONE.length) {
            scope.define(value, scope.net().reshape(image, image.dims()[1], image.dims()[2], image.dims()[3]), IMAGE_ALONE);
        } else {
            scope.define(value, image, Scope.IMAGE);
        }
    }

    /** What bands of one direction come to, whose ends are rounded outwards as PyTorch has them. */
    static Term bands(NetBuilder net, Term image, int dimension, int count, BiFunction<Term, Integer, Term> reduction) {
        int size = image.dims()[dimension];
        List<Term> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int from = (int) ((long) i * size / count);
            int to = (int) (((long) (i + 1) * size + count - 1) / count);
            Term band = net.slice(image, dimension, from, to, 1);
            parts.add(to - from == 1 ? band : reduction.apply(band, dimension));
        }
        return net.concatenate(parts, dimension);
    }
}
