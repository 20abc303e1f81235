package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/** Images and rows brought to another size, by the nearest pixel or between neighbours. */
final class Resizes implements NodeFamily {
    private static final double CUBIC = -0.75;
    private static final float HALF = 0.5f;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::upsample_nearest2d", Resizes::nearest);
        table.put("aten::upsample_bilinear2d", Resizes::bilinear);
        table.put("aten::upsample_bicubic2d", (node, scope) -> weighted(node, scope, 2, true));
        table.put("aten::_upsample_bilinear2d_aa", (node, scope) -> smoothed(node, scope));
        table.put("aten::_upsample_bicubic2d_aa", (node, scope) -> smoothed(node, scope));
        table.put("aten::upsample_nearest1d", (node, scope) -> rows(node, scope, 0));
        table.put("aten::_upsample_nearest_exact2d", Resizes::exact);
        table.put("aten::_upsample_nearest_exact1d", (node, scope) -> rows(node, scope, HALF));
        table.put("aten::upsample_nearest3d", (node, scope) -> volume(node, scope, 0));
        table.put("aten::_upsample_nearest_exact3d", (node, scope) -> volume(node, scope, HALF));
        table.put("aten::upsample_trilinear3d", Resizes::trilinear);
        table.put("aten::upsample_linear1d", (node, scope) -> weighted(node, scope, 1, false));
    }

    private static void nearest(Node node, Scope scope) {
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        requireReal(node, scope);
        for (int axis = 0; axis < 2; axis++) {
            if (!areSamePixels(from.size(2 + axis), to.size(2 + axis), factor(node, scope, 2, axis))) {
                Term image = scope.image(node.input(0));
                for (int d = 0; d < 2; d++) {
                    image = scope.net().gather(image, 1 + d, scope.net().indices(pixels(from.size(2 + d), to.size(2 + d), factor(node, scope, 2, d))));
                }
                scope.define(node.output(), image, Scope.IMAGE);
                return;
            }
        }
        scope.define(node.output(), scope.net().windows().resize(OperationType.RESIZE_NEAREST_NEIGHBOR, scope.image(node.input(0)), to.size(2), to.size(3), false, false),
            Scope.IMAGE);
    }

    private static void requireReal(Node node, Scope scope) {
        if (scope.facts(node.input(0)).quantization() == null) {
            scope.requireFloat(node.input(0));
        }
    }

    /** The factor given for a direction (height first), or 0. */
    private static double factor(Node node, Scope scope, int first, int axis) {
        Value given = scope.optional(node, first);
        if (given == null && scope.optional(node, first + axis) == null) {
            return 0;
        }
        if (given != null && scope.constant(given) instanceof ScriptList list) {
            return ((Number) list.get(list.size() == 1 ? 0 : axis)).doubleValue();
        }
        Value own = scope.optional(node, first + axis);
        return own == null ? 0 : scope.number(own);
    }

    /** The pixels that PyTorch takes: those at {@code floor(i / factor)}, in float32. */
    private static int[] pixels(int from, int to, double factor) {
        return pixels(from, to, factor, 0);
    }

    /** @param centre of a pixel: 0, or a half in what PyTorch calls exact */
    private static int[] pixels(int from, int to, double factor, float centre) {
        float step = factor > 0 ? (float) (1 / factor) : (float) from / to;
        return IntStream.range(0, to).map(i -> Math.min((int) Math.floor((i + centre) * step), from - 1)).toArray();
    }

    /** NNAPI takes the one at {@code floor(i in / out)}. */
    private static boolean areSamePixels(int from, int to, double factor) {
        return Arrays.equals(pixels(from, to, factor), pixels(from, to, 0));
    }

    /** The pixels at {@code floor((i + 0.5) / factor)}. */
    private static void exact(Node node, Scope scope) {
        requireReal(node, scope);
        Term image = scope.image(node.input(0));
        for (int d = 0; d < 2; d++) {
            int from = scope.facts(node.input(0)).size(2 + d);
            int to = scope.facts(node.output()).size(2 + d);
            image = scope.net().gather(image, 1 + d, scope.net().indices(pixels(from, to, factor(node, scope, 2, d), HALF)));
        }
        scope.define(node.output(), image, Scope.IMAGE);
    }

    private static void volume(Node node, Scope scope, float centre) {
        Volumes.resized(node, scope, (rows, from, to, axis) -> from == to ? rows
            : scope.net().gather(rows, 1, scope.net().indices(pixels(from, to, factor(node, scope, 2, axis), centre))));
    }

    private static void trilinear(Node node, Scope scope) {
        boolean corners = scope.flag(node.input(2));
        NetBuilder net = scope.net();
        Volumes.resized(node, scope, (rows, from, to, axis) -> {
            double factor = corners ? 0 : factor(node, scope, 3, axis);
            Term weights = net.floats(weights(from, to, corners, factor, false), to, from);
            int outer = rows.dims()[0];
            int inner = rows.dims()[2];
            Term made = net.fullyConnected(net.reshape(net.transpose(rows, 0, 2, 1), outer * inner, from), weights, net.zeros(to), 0, 0);
            return net.transpose(net.reshape(made, outer, inner, to), 0, 2, 1);
        });
    }

    private static void rows(Node node, Scope scope, float centre) {
        scope.requireFloat(node.input(0));
        int from = scope.facts(node.input(0)).size(2);
        int to = scope.facts(node.output()).size(2);
        scope.define(node.output(), scope.net().gather(scope.plain(node.input(0)), 2, scope.net().indices(pixels(from, to, factor(node, scope, 2, 0), centre))));
    }

    private static void weighted(Node node, Scope scope, int dimensions, boolean cubic) {
        boolean corners = scope.flag(node.input(2));
        weighted(node, scope, dimensions, (from, to, axis) -> weights(from, to, corners, corners ? 0 : factor(node, scope, 3, axis), cubic));
    }

    /** What a direction's elements take of each of the input's. */
    private interface Weights {
        float[] of(int from, int to, int axis);
    }

    /** Smoothed where it becomes smaller: the weights are what becomes of columns of one pixel. */
    private static void smoothed(Node node, Scope scope) {
        boolean corners = scope.flag(node.input(2));
        Operator operator = OperatorRegistry.standard().find(node.kind());
        weighted(node, scope, 2, (from, to, axis) -> {
            float[] columns = new float[from * from];
            for (int i = 0; i < from; i++) {
                columns[i * from + i] = 1;
            }
            double factor = corners ? 0 : factor(node, scope, 3, axis);
            Object made = operator.kernel().call(new Object[] {Tensor.of(columns, from, 1, from, 1), ScriptList.ofInts(to, 1), corners, factor > 0 ? factor : null, null});
            return ((Tensor) made).asStrided(new int[] {to, from}, new int[] {1, to}, 0).toFloatArray();
        });
    }

    /** Between neighbours along each of the last dimensions: products with matrices of their weights. */
    private static void weighted(Node node, Scope scope, int dimensions, Weights weights) {
        scope.requireFloat(node.input(0));
        TensorFacts known = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        if (known.rank() != 2 + dimensions) {
            throw new Refused("images have a batch and channels", known.toString(), "rank " + (2 + dimensions), "");
        }
        NetBuilder net = scope.net();
        int[] dims = known.shape();
        Term image = scope.plain(node.input(0));
        for (int axis = dimensions - 1; axis >= 0; axis--) {
            int d = 2 + axis;
            Term matrix = net.floats(weights.of(dims[d], to.size(d), axis), to.size(d), dims[d]);
            boolean last = d == dims.length - 1;
            int outer = dims[0] * dims[1];
            int inner = last ? dims[2] : dims[3];
            int between = dimensions == 1 ? 1 : inner;
            Term rows = last ? net.reshape(image, outer * between, dims[d]) : net.reshape(net.transpose(net.reshape(image, outer, dims[d], inner), 0, 2, 1),
                outer * inner, dims[d]);
            Term made = net.fullyConnected(rows, matrix, net.zeros(to.size(d)), 0, 0);
            dims[d] = to.size(d);
            image = last ? net.reshape(made, dims) : net.reshape(net.transpose(net.reshape(made, outer, inner, dims[d]), 0, 2, 1), dims);
        }
        scope.define(node.output(), image);
    }

    /** What each element of the result takes of each of the input's: PyTorch's cubic convolution has a = -0.75. */
    private static float[] weights(int from, int to, boolean corners, double factor, boolean cubic) {
        double step = corners ? to > 1 ? (double) (from - 1) / (to - 1) : 0 : factor > 0 ? 1 / factor : (double) from / to;
        float[] out = new float[from * to];
        for (int i = 0; i < to; i++) {
            double at = corners ? i * step : (i + 0.5) * step - 0.5;
            if (!cubic) {
                at = Math.max(0, at);
            }
            int below = (int) Math.floor(at);
            double rest = at - below;
            double[] taps = cubic ? new double[] {far(rest + 1), near(rest), near(1 - rest), far(2 - rest)} : new double[] {1 - rest, rest};
            for (int t = 0; t < taps.length; t++) {
                int place = Math.max(0, Math.min(from - 1, below + t - (cubic ? 1 : 0)));
                out[i * from + place] += (float) taps[t];
            }
        }
        return out;
    }

    private static double near(double x) {
        return ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1;
    }

    private static double far(double x) {
        return ((CUBIC * x - 5 * CUBIC) * x + 8 * CUBIC) * x - 4 * CUBIC;
    }

    private static void bilinear(Node node, Scope scope) {
        boolean quantized = scope.facts(node.input(0)).quantization() != null;
        if (!quantized) {
            scope.requireFloat(node.input(0));
        }
        TensorFacts from = scope.facts(node.input(0));
        TensorFacts to = scope.facts(node.output());
        boolean corners = scope.flag(node.input(2));
        for (int axis = 0; axis < 2; axis++) {
            double factor = corners ? 0 : factor(node, scope, 3, axis);
            if (factor > 0 && from.size(2 + axis) * factor != to.size(2 + axis)) {
                // NNAPI takes its factors from the sizes.
                weighted(node, scope, 2, false);
                return;
            }
        }
        if (!quantized && !scope.net().has(OperationType.RESIZE_BILINEAR, "alignCorners")) {
            weighted(node, scope, 2, false);
            return;
        }
        UnaryOperator<Term> resize = x -> scope.net().windows().resize(OperationType.RESIZE_BILINEAR, x, to.size(2), to.size(3), corners, !corners);
        scope.define(node.output(), quantized ? quantized(scope, node.input(0), resize) : resize.apply(scope.image(node.input(0))), Scope.IMAGE);
    }

    /** Between the numbers that are stored; of two that are equally near the even one, counted from the zero point. */
    private static Term quantized(Scope scope, Value value, UnaryOperator<Term> resize) {
        Quantization.PerTensor q = scope.quantization(value);
        NetBuilder net = scope.net();
        Term stored = net.cast(net.cast(scope.image(value), OperandType.TENSOR_INT32), OperandType.TENSOR_FLOAT32);
        Term steps = Warps.nearest(net, net.add(resize.apply(stored), -q.zeroPoint()));
        return net.quantize(net.mul(steps, q.scale()), q.scale(), q.zeroPoint());
    }
}
