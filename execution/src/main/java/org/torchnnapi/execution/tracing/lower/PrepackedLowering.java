package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.operators.packed.FloatContext;
import org.torchnnapi.operators.support.ConvolutionPlan;
import org.torchnnapi.tensor.Tensor;

/** The layers that {@code optimize_for_mobile} makes, with their limits. */
final class PrepackedLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("prepacked::conv2d_clamp_run", (lowered, node, a) -> {
            FloatContext c = FloatContext.CONVOLUTION.unwrap(a, 1);
            int[][] g = c.geometry();
            return convolution(
                    lowered,
                    Support.floats(a, 0),
                    c,
                    new ConvolutionPlan(g[0], g[1], g[2], false, new int[2], c.groups()));
        });
        r.add("prepacked::conv2d_transpose_clamp_run", (lowered, node, a) -> {
            FloatContext c = FloatContext.TRANSPOSED.unwrap(a, 1);
            int[][] g = c.geometry();
            return convolution(
                    lowered, Support.floats(a, 0), c, new ConvolutionPlan(g[0], g[1], g[3], true, g[2], c.groups()));
        });
        r.add("prepacked::linear_clamp_run", (lowered, node, a) -> {
            FloatContext c = FloatContext.LINEAR.unwrap(a, 1);
            return LinearLowering.linear(lowered, Support.floats(a, 0), c.weight(), c.bias(), clamp(c));
        });
    }

    private static Tensor convolution(Lowered lowered, Tensor x, FloatContext c, ConvolutionPlan plan) {
        Support.require(x.rank() == 4, "batches");
        return ConvolutionLowering.lower(lowered, x, c.weight(), c.bias(), plan, clamp(c));
    }

    private static Clamp clamp(FloatContext c) {
        float low = c.min() == null ? Float.NEGATIVE_INFINITY : c.min().floatValue();
        float high = c.max() == null ? Float.POSITIVE_INFINITY : c.max().floatValue();
        Support.require(low <= high, "limits in order");
        return new Clamp(low, high);
    }
}
