package org.torchnnapi.torchscript.specialise.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.program.op.Binary;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Args;

/** Batch normalisation by running statistics: a factor and a summand a channel. After a convolution they become part of it. */
final class NormalizationLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::batch_norm", (lowered, node, a) -> {
            Tensor x = Support.floats(a, 0);
            Support.require(!Args.flag(a, 5) && a[3] != null && a[4] != null && x.rank() >= 2, "running statistics");
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
            Tensor scaled = lowered.compute(Binary.of(BinaryOp.MUL), Support.inFormatOf(x, x.sizes()), x, Tensor.of(scale, sizes));
            return lowered.compute(Binary.of(BinaryOp.ADD), Support.inFormatOf(x, x.sizes()), scaled, Tensor.of(shift, sizes));
        });
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
