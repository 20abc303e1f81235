package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.partial.TensorFacts;
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
    /** Weights and bytes that are multiplied fit 24 bits. */
    private static final int LARGEST_EXACT = 16;

    @Override
    public void register(NodeLoweringTable table) {
        for (int d = 1; d <= 3; d++) {
            table.plan("aten::upsample_nearest" + d + "d", (node, context) -> nearest(node, context, 0));
            table.plan("aten::_upsample_nearest_exact" + d + "d", (node, context) -> nearest(node, context, HALF));
        }
        table.plan("aten::upsample_bilinear2d", Resizes::bilinear);
        table.plan("aten::upsample_bicubic2d", (node, context) -> weighted(node, context, 2, true));
        table.plan("aten::_upsample_bilinear2d_aa", Resizes::smoothed);
        table.plan("aten::_upsample_bicubic2d_aa", Resizes::smoothed);
        table.plan("aten::upsample_trilinear3d", (node, context) -> weighted(node, context, 3, false));
        table.plan("aten::upsample_linear1d", (node, context) -> weighted(node, context, 1, false));
    }

    /**
     * The nearest elements, as PyTorch finds them: at {@code floor((i + centre) / factor)}, in float32. NNAPI takes
     * those of images at {@code floor(i in / out)}.
     *
     * @param centre of a pixel: 0, or a half in what PyTorch calls exact
     */
    private static LoweringPlan nearest(Node node, LoweringContext context, float centre) {
        context.requireReal(node.input(0));
        TensorFacts from = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        IntFunction<int[]> pixels =
                d -> d < 2 ? null : pixels(from.size(d), to.size(d), factor(node, context, 2, d - 2), centre);
        boolean image = from.rank() == LoweringContext.IMAGE.length;
        boolean same = image
                && IntStream.of(2, 3)
                        .allMatch(d -> Arrays.equals(pixels.apply(d), pixels(from.size(d), to.size(d), 0, 0)));
        int[] order = image ? LoweringContext.IMAGE : LoweringContext.identity(from.rank());
        return same
                ? () -> context.define(
                        node.output(),
                        context.nnapi()
                                .windows()
                                .resize(
                                        OperationType.RESIZE_NEAREST_NEIGHBOR,
                                        context.image(node.input(0)),
                                        to.size(2),
                                        to.size(3),
                                        false,
                                        false),
                        order)
                : () -> ElementGather.along(context, node.output(), node.input(0), order, pixels);
    }

    /** The factor given for a direction (height first), or 0. */
    private static double factor(Node node, LoweringContext context, int first, int axis) {
        Value given = context.optional(node, first);
        if (given == null && context.optional(node, first + axis) == null) {
            return 0;
        }
        if (given != null && context.constant(given) instanceof ScriptList list) {
            return ((Number) list.get(list.size() == 1 ? 0 : axis)).doubleValue();
        }
        Value own = context.optional(node, first + axis);
        return own == null ? 0 : context.number(own);
    }

    private static int[] pixels(int from, int to, double factor, float centre) {
        float step = factor > 0 ? (float) (1 / factor) : (float) from / to;
        return IntStream.range(0, to)
                .map(i -> Math.min((int) Math.floor((i + centre) * step), from - 1))
                .toArray();
    }

    private static LoweringPlan weighted(Node node, LoweringContext context, int dimensions, boolean cubic) {
        boolean corners = context.flag(node.input(2));
        return weighted(
                node,
                context,
                dimensions,
                (from, to, axis) -> weights(from, to, corners, corners ? 0 : factor(node, context, 3, axis), cubic));
    }

    /** What a direction's elements take of each of the input's. */
    private interface Weights {
        float[] of(int from, int to, int axis);
    }

    /** Smoothed where it becomes smaller: the weights are what becomes of columns of one pixel. */
    private static LoweringPlan smoothed(Node node, LoweringContext context) {
        boolean corners = context.flag(node.input(2));
        Operator operator = OperatorRegistry.standard().find(node.kind());
        return weighted(node, context, 2, (from, to, axis) -> {
            float[] columns = new float[from * from];
            for (int i = 0; i < from; i++) {
                columns[i * from + i] = 1;
            }
            double factor = corners ? 0 : factor(node, context, 3, axis);
            Object made = operator.kernel().call(new Object[] {
                Tensor.of(columns, from, 1, from, 1),
                ScriptList.ofInts(to, 1),
                corners,
                factor > 0 ? factor : null,
                null
            });
            return ((Tensor) made)
                    .asStrided(new int[] {to, from}, new int[] {1, to}, 0)
                    .toFloatArray();
        });
    }

    /** Between neighbours along each of the last dimensions: products with matrices of their weights. */
    private static LoweringPlan weighted(Node node, LoweringContext context, int dimensions, Weights weights) {
        context.requireFloat(node.input(0));
        TensorFacts known = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        if (known.rank() != 2 + dimensions) {
            return LoweringPlan.refused(
                    "images have a batch and channels", known.toString(), "rank " + (2 + dimensions));
        }
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            int[] dims = known.shape();
            OperandRef image = context.plain(node.input(0));
            for (int axis = 0; axis < dimensions; axis++) {
                int d = 2 + axis;
                OperandRef matrix = nnapi.floats(weights.of(dims[d], to.size(d), axis), to.size(d), dims[d]);
                int outer = Shapes.product(dims, 0, d);
                int inner = Shapes.product(dims, d + 1, dims.length);
                OperandRef columns = nnapi.transpose(nnapi.reshape(image, outer, dims[d], inner), 0, 2, 1);
                dims[d] = to.size(d);
                OperandRef made = nnapi.fullyConnected(
                        nnapi.reshape(columns, outer * inner, columns.dims()[2]), matrix, nnapi.zeros(dims[d]));
                image = nnapi.transpose(nnapi.reshape(made, outer, inner, dims[d]), 0, 2, 1);
            }
            context.shaped(node.output(), image);
        };
    }

    /** What each element of the result takes of each of the input's: PyTorch's cubic convolution has a = -0.75. */
    private static float[] weights(int from, int to, boolean corners, double factor, boolean cubic) {
        double step =
                corners ? to > 1 ? (double) (from - 1) / (to - 1) : 0 : factor > 0 ? 1 / factor : (double) from / to;
        float[] out = new float[from * to];
        for (int i = 0; i < to; i++) {
            double at = corners ? i * step : (i + 0.5) * step - 0.5;
            if (!cubic) {
                at = Math.max(0, at);
            }
            int below = (int) Math.floor(at);
            double rest = at - below;
            double[] taps = cubic
                    ? new double[] {far(rest + 1), near(rest), near(1 - rest), far(2 - rest)}
                    : new double[] {1 - rest, rest};
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

    private static LoweringPlan bilinear(Node node, LoweringContext context) {
        boolean quantized = context.facts(node.input(0)).quantization() != null;
        if (!quantized) {
            context.requireFloat(node.input(0));
        }
        TensorFacts from = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        boolean corners = context.flag(node.input(2));
        for (int axis = 0; axis < 2; axis++) {
            double factor = corners ? 0 : factor(node, context, 3, axis);
            if (factor > 0 && from.size(2 + axis) * factor != to.size(2 + axis)) {
                // NNAPI takes its factors from the sizes.
                return weighted(node, context, 2, false);
            }
        }
        if (!quantized && !context.nnapi().has(OperationType.RESIZE_BILINEAR, "alignCorners")) {
            return weighted(node, context, 2, false);
        }
        UnaryOperator<OperandRef> resize = x -> context.nnapi()
                .windows()
                .resize(OperationType.RESIZE_BILINEAR, x, to.size(2), to.size(3), corners, !corners);
        return () -> context.define(
                node.output(),
                quantized
                        ? quantized(
                                context,
                                node.input(0),
                                !corners && !context.nnapi().target().exact() && areExact(from, to),
                                resize)
                        : resize.apply(context.image(node.input(0))),
                LoweringContext.IMAGE);
    }

    /** Whether the weights of neighbours are parts of a power of two, with which sums of bytes are exact in float. */
    private static boolean areExact(TensorFacts from, TensorFacts to) {
        for (int axis = 2; axis < 4; axis++) {
            int times = to.size(axis) / from.size(axis);
            if (to.size(axis) != times * from.size(axis) || Integer.bitCount(times) != 1 || times > LARGEST_EXACT) {
                return false;
            }
        }
        return true;
    }

    /**
     * Between the numbers that are stored; of two that are equally near the even one, counted from the zero point.
     *
     * @param bytes whether NNAPI does so with bytes, rounding in whatever way
     */
    private static OperandRef quantized(
            LoweringContext context, Value value, boolean bytes, UnaryOperator<OperandRef> resize) {
        Quantization.PerTensor q = context.quantization(value);
        NnapiBuilder nnapi = context.nnapi();
        if (bytes) {
            // In steps of 1 halves are such in float too, and go to the even neighbour.
            nnapi.model().note(ByteForm.byRule("aten::upsample_bilinear2d", "MUL, RESIZE_BILINEAR, MUL", q, q));
            OperandRef steps = ByteForms.times(nnapi, context.image(value), 1 / q.scale(), 1, q.zeroPoint());
            return ByteForms.times(nnapi, resize.apply(steps), q.scale(), q.scale(), q.zeroPoint());
        }
        OperandRef stored =
                nnapi.cast(nnapi.cast(context.image(value), OperandType.TENSOR_INT32), OperandType.TENSOR_FLOAT32);
        OperandRef steps = GridSamplerLowering.nearest(nnapi, nnapi.add(resize.apply(stored), -q.zeroPoint()));
        return nnapi.quantize(nnapi.mul(steps, q.scale()), q.scale(), q.zeroPoint());
    }
}
