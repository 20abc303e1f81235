package org.torchnnapi.torchscript.specialise.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.Reduction;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.op.Dequantize;
import org.torchnnapi.program.op.Quantize;
import org.torchnnapi.program.op.Reduce;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.support.Args;
import org.torchnnapi.torchscript.aten.support.ReducedRows;

/** Means and sums over dimensions. Means of bytes are taken of the numbers they stand for, as their kernel does. */
final class ReductionLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::mean", (lowered, node, a) -> reduce(lowered, Reduction.MEAN, a));
        r.add("aten::sum", (lowered, node, a) -> reduce(lowered, Reduction.SUM, a));
    }

    private static Tensor reduce(Lowered lowered, Reduction reduction, Object[] a) {
        boolean all = a.length == 2;
        Support.require(a[a.length - 1] == null || Args.dtype(a, a.length - 1) == DType.FLOAT32, "a result of float32");
        Tensor t = Args.tensor(a, 0);
        long[] dims = all || a[1] == null ? null : Args.integers(a, 1);
        boolean keep = !all && Args.flag(a, 2);
        if (Support.isBytes(t) && reduction == Reduction.MEAN && a[a.length - 1] == null) {
            Tensor real = lowered.compute(new Dequantize(), Lowered.tensor(DType.FLOAT32, null, t.sizes()), t);
            Tensor mean = reduce(lowered, reduction, real, dims, keep);
            return lowered.compute(new Quantize(Support.quantization(t), Rounding.HALF_EVEN),
                Lowered.tensor(t.dtype(), t.quantization(), mean.sizes()), mean);
        }
        return reduce(lowered, reduction, Support.floats(a, 0), dims, keep);
    }

    private static Tensor reduce(Lowered lowered, Reduction reduction, Tensor t, long[] dims, boolean keep) {
        ReducedRows rows = ReducedRows.of(t, dims);
        int[] axes = new int[t.rank()];
        int count = 0;
        for (int d = 0; d < t.rank(); d++) {
            boolean reduced = dims == null || dims.length == 0;
            for (int i = 0; dims != null && i < dims.length; i++) {
                reduced |= org.torchnnapi.tensor.Shape.wrap(dims[i], t.rank()) == d;
            }
            if (reduced) {
                axes[count++] = d;
            }
        }
        return lowered.compute(new Reduce(reduction, Arrays.copyOf(axes, count), keep), Lowered.tensor(DType.FLOAT32, null, rows.sizes(keep)), t);
    }
}
