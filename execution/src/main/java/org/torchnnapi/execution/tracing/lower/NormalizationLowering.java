package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.NormalizedShape;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.GroupNormOp;
import org.torchnnapi.program.op.LayerNormOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Normalizations. By running statistics they are a factor and a summand a channel, which become part of a convolution
 * before; by a tensor's own, operations for themselves.
 */
final class NormalizationLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::batch_norm", (lowered, node, a) -> {
            Support.require(!Args.flag(a, 5), "no training");
            return byRunning(lowered, a, true);
        });
        r.add(
                "aten::instance_norm",
                (lowered, node, a) -> Args.flag(a, 5)
                        ? byGroups(lowered, a, Support.floats(a, 0).size(1), 1, Args.real(a, 7), false)
                        : byRunning(lowered, a, false));
        r.add(
                "aten::group_norm",
                (lowered, node, a) -> byGroups(lowered, a, Args.int32(a, 1), 2, Args.real(a, 4), true));
        r.add("aten::layer_norm", (lowered, node, a) -> {
            Tensor weight = Support.constantOrNull(lowered, a, 2);
            Tensor bias = Support.constantOrNull(lowered, a, 3);
            int count = NormalizedShape.count(Support.floats(a, 0), Args.ints(a, 1), weight, bias);
            return layer(lowered, Support.floats(a, 0), count, weight, bias, Args.real(a, 4));
        });
    }

    /** @param count elements of the last dimensions that are normalized together */
    static Tensor layer(Lowered lowered, Tensor x, int count, Tensor weight, Tensor bias, double epsilon) {
        LayerNormOp norm =
                new LayerNormOp(count, (float) epsilon, Support.valuesOrNull(weight), Support.valuesOrNull(bias));
        return lowered.compute(norm, Lowered.tensor(DType.FLOAT32, null, x.sizes()), x);
    }

    /**
     * @param factors which argument is the weights, before the biases
     * @param asSuggested whether the result has its input's memory format
     */
    private static Tensor byGroups(
            Lowered lowered, Object[] a, int groups, int factors, double epsilon, boolean asSuggested) {
        Tensor x = Support.floats(a, 0);
        Support.require(x.rank() >= 2, "images");
        float[] weight = a[factors] == null ? null : perChannel(lowered, a, factors, x.size(1), 1);
        float[] bias = a[factors + 1] == null ? null : perChannel(lowered, a, factors + 1, x.size(1), 0);
        return lowered.compute(
                new GroupNormOp(groups, (float) epsilon, weight, bias),
                asSuggested ? Support.inFormatOf(x, x.sizes()) : Lowered.tensor(DType.FLOAT32, null, x.sizes()),
                x);
    }

    /** @param asSuggested whether the result has its input's memory format */
    private static Tensor byRunning(Lowered lowered, Object[] a, boolean asSuggested) {
        Tensor x = Support.floats(a, 0);
        Support.require(a[3] != null && a[4] != null && x.rank() >= 2, "running statistics");
        int channels = x.size(1);
        float[] mean = perChannel(lowered, a, 3, channels, 0);
        float[] variance = perChannel(lowered, a, 4, channels, 0);
        float[] weight = perChannel(lowered, a, 1, channels, 1);
        float[] bias = perChannel(lowered, a, 2, channels, 0);
        double epsilon = Args.real(a, 7);
        float[] scale = new float[channels];
        float[] shift = new float[channels];
        for (int c = 0; c < channels; c++) {
            double factor = weight[c] / Math.sqrt(variance[c] + epsilon);
            scale[c] = (float) factor;
            shift[c] = (float) (bias[c] - mean[c] * factor);
        }
        int[] sizes = new int[x.rank()];
        Arrays.fill(sizes, 1);
        sizes[1] = channels;
        Tensor scaled = lowered.compute(
                BinaryMathOp.of(BinaryOp.MUL), Support.inFormatOf(x, x.sizes()), x, Tensor.of(scale, sizes));
        return lowered.compute(
                BinaryMathOp.of(BinaryOp.ADD),
                asSuggested ? Support.inFormatOf(x, x.sizes()) : Lowered.tensor(DType.FLOAT32, null, x.sizes()),
                scaled,
                Tensor.of(shift, sizes));
    }

    private static float[] perChannel(Lowered lowered, Object[] a, int i, int channels, float otherwise) {
        Tensor t = Support.constantOrNull(lowered, a, i);
        if (t == null) {
            float[] all = new float[channels];
            Arrays.fill(all, otherwise);
            return all;
        }
        Support.require(t.numel() == channels && t.dtype() == DType.FLOAT32, "a number for each channel");
        return Support.values(t);
    }
}
