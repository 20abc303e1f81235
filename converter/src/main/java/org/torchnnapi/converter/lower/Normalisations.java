package org.torchnnapi.converter.lower;

import java.util.Arrays;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Batch, layer, group and instance normalisation, of means and products. */
final class Normalisations implements NodeFamily {
    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::batch_norm", Normalisations::batch);
        table.put("aten::layer_norm", Normalisations::layer);
        table.put("aten::group_norm", Normalisations::group);
        table.put("aten::instance_norm", Normalisations::instance);
    }

    /** One factor and one summand per channel. */
    private static LoweringPlan batch(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        if (context.optional(node, 3) == null && context.optional(node, 4) == null) {
            return () -> ofTheBatch(node, context);
        }
        if (context.flag(node.input(5)) || context.optional(node, 3) == null || context.optional(node, 4) == null) {
            return LoweringPlan.refused(
                    "batch normalisation uses the statistics of training",
                    "training",
                    "a module in evaluation mode",
                    "call eval() before saving");
        }
        return () -> {
            float[] mean = context.tensor(node.input(3)).toFloatArray();
            float[] variance = context.tensor(node.input(4)).toFloatArray();
            float epsilon = (float) context.number(node.input(7));
            float[] scale = weights(context, node, 1, mean.length, 1);
            float[] shift = weights(context, node, 2, mean.length, 0);
            for (int c = 0; c < scale.length; c++) {
                scale[c] = scale[c] / (float) Math.sqrt(variance[c] + epsilon);
                shift[c] -= mean[c] * scale[c];
            }
            int[] order = context.order(node.input(0));
            NnapiBuilder nnapi = context.nnapi();
            if (order.length > NnapiBuilder.MAX_RANK && order[order.length - 1] == 1) {
                Elementwise.each(
                        node,
                        context,
                        x -> nnapi.reshape(
                                affine(
                                        nnapi,
                                        nnapi.reshape(x, x.count() / mean.length, mean.length),
                                        scale,
                                        shift,
                                        mean.length),
                                x.dims()));
                return;
            }
            if (order.length > NnapiBuilder.MAX_RANK || order.length < 2) {
                int[] shape = context.facts(node.input(0)).shape();
                OperandRef in = context.as(
                        node.input(0), shape[0], shape[1], Activations.inner(context.facts(node.input(0)), 1));
                context.define(node.output(), affine(nnapi, in, scale, shift, 1, mean.length, 1));
                return;
            }
            int[] dims = Arrays.stream(order).map(d -> d == 1 ? mean.length : 1).toArray();
            Elementwise.each(node, context, x -> affine(nnapi, x, scale, shift, dims));
        };
    }

    /** By the mean and variance of what comes in, as a module has it that tracks none. */
    private static void ofTheBatch(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        int channels = known.size(1);
        NnapiBuilder nnapi = context.nnapi();
        OperandRef rows = context.as(node.input(0), known.size(0), channels, Activations.inner(known, 1));
        context.shaped(
                node.output(),
                affine(
                        nnapi,
                        normalised(nnapi, rows, context.number(node.input(7)), 0, 2),
                        weights(context, node, 1, channels, 1),
                        weights(context, node, 2, channels, 0),
                        1,
                        channels,
                        1));
    }

    /** With a factor and a summand for each channel. */
    private static OperandRef affine(NnapiBuilder nnapi, OperandRef x, float[] scale, float[] shift, int... dims) {
        return nnapi.add(nnapi.mul(x, nnapi.floats(scale, dims)), nnapi.floats(shift, dims));
    }

    private static float[] weights(LoweringContext context, Node node, int index, int count, float absent) {
        Value given = context.optional(node, index);
        if (given != null) {
            return context.tensor(given).toFloatArray().clone();
        }
        float[] values = new float[count];
        Arrays.fill(values, absent);
        return values;
    }

    /** {@code (x - mean) / sqrt(var + epsilon)} over NNAPI's dimensions. */
    private static OperandRef normalised(NnapiBuilder nnapi, OperandRef x, double epsilon, int... dimensions) {
        OperandRef centred = nnapi.sub(x, nnapi.mean(x, dimensions));
        OperandRef variance = nnapi.mean(nnapi.mul(centred, centred), dimensions);
        return nnapi.mul(centred, nnapi.inverseRoot(nnapi.add(variance, epsilon)));
    }

    private static void layer(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        TensorFacts known = context.facts(node.input(0));
        int count = context.integers(node.input(1)).length;
        double epsilon = context.number(node.input(4));
        NnapiBuilder nnapi = context.nnapi();
        int first = known.rank() - count;
        int inner = Activations.outer(known, known.rank()) / Activations.outer(known, first);
        int[] order = context.order(node.input(0));
        boolean last = count == 1 && order.length <= NnapiBuilder.MAX_RANK && order.length > 0;
        if (last) {
            // The dimension is reduced wherever NNAPI has it.
            int at = LoweringContext.place(order, first);
            int[] dims = Arrays.stream(order).map(d -> d == first ? inner : 1).toArray();
            OperandRef made =
                    scaled(context, node, normalised(nnapi, context.in(node.input(0), order), epsilon, at), dims);
            context.define(node.output(), made, order);
            return;
        }
        OperandRef made = scaled(
                context,
                node,
                normalised(nnapi, context.as(node.input(0), Activations.outer(known, first), inner), epsilon, 1),
                1,
                inner);
        context.shaped(node.output(), made);
    }

    /** Times input 2 plus input 3, where there are any. */
    private static OperandRef scaled(LoweringContext context, Node node, OperandRef x, int... dims) {
        Value weight = context.optional(node, 2);
        Value bias = context.optional(node, 3);
        NnapiBuilder nnapi = context.nnapi();
        OperandRef product = weight == null
                ? x
                : nnapi.mul(
                        x, nnapi.floats(context.tensor(weight).toFloatArray().clone(), dims));
        return bias == null
                ? product
                : nnapi.add(
                        product,
                        nnapi.floats(context.tensor(bias).toFloatArray().clone(), dims));
    }

    private static void group(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        TensorFacts known = context.facts(node.input(0));
        int groups = context.int32(node.input(1));
        NnapiBuilder nnapi = context.nnapi();
        OperandRef rows =
                context.as(node.input(0), known.size(0) * groups, known.size(1) / groups * Activations.inner(known, 1));
        OperandRef made = nnapi.reshape(
                normalised(nnapi, rows, context.number(node.input(4)), 1),
                known.size(0),
                known.size(1),
                Activations.inner(known, 1));
        context.shaped(node.output(), scaled(context, node, made, 1, known.size(1), 1));
    }

    private static void instance(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        if (!context.flag(node.input(5))) {
            batch(node, context);
            return;
        }
        TensorFacts known = context.facts(node.input(0));
        NnapiBuilder nnapi = context.nnapi();
        float[] scale = weights(context, node, 1, known.size(1), 1);
        float[] shift = weights(context, node, 2, known.size(1), 0);
        if (known.rank() == LoweringContext.IMAGE.length
                && Arrays.equals(context.order(node.input(0)), LoweringContext.IMAGE)) {
            OperandRef made = normalised(nnapi, context.image(node.input(0)), context.number(node.input(7)), 1, 2);
            context.define(
                    node.output(), affine(nnapi, made, scale, shift, 1, 1, 1, scale.length), LoweringContext.IMAGE);
            return;
        }
        OperandRef made = normalised(
                nnapi,
                context.as(node.input(0), known.size(0), known.size(1), Activations.inner(known, 1)),
                context.number(node.input(7)),
                2);
        context.shaped(node.output(), affine(nnapi, made, scale, shift, 1, scale.length, 1));
    }
}
