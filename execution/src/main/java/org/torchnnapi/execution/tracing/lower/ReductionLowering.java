package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.QuantizedAverages;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.program.op.QuantizedMeanOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Means, sums and extremes over dimensions; means of bytes that no float32 rounding decides. */
final class ReductionLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::mean", (lowered, node, a) -> reduce(lowered, ReductionKernel.MEAN, a));
        r.add("aten::amax", (lowered, node, a) -> extreme(lowered, ReductionKernel.MAX, a));
        r.add("aten::amin", (lowered, node, a) -> extreme(lowered, ReductionKernel.MIN, a));
        r.add("aten::sum", (lowered, node, a) -> reduce(lowered, ReductionKernel.SUM, a));
    }

    private static Tensor extreme(Lowered lowered, ReductionKernel reduction, Object[] a) {
        return reduce(lowered, reduction, Support.floats(a, 0), Args.integers(a, 1), Args.flag(a, 2));
    }

    /** @param dims null or none for all */
    static Tensor reduce(Lowered lowered, ReductionKernel reduction, Tensor t, long[] dims, boolean keep) {
        return lowered.compute(
                new ReduceOp(reduction, axes(t, dims), keep),
                Lowered.tensor(DType.FLOAT32, null, ReducedRows.of(t, dims).sizes(keep)),
                t);
    }

    private static Tensor reduce(Lowered lowered, ReductionKernel reduction, Object[] a) {
        boolean all = a.length == 2;
        Support.require(a[a.length - 1] == null || Args.dtype(a, a.length - 1) == DType.FLOAT32, "a result of float32");
        Tensor t = Args.tensor(a, 0);
        long[] dims = all || a[1] == null ? null : Args.integers(a, 1);
        boolean keep = !all && Args.flag(a, 2);
        ReducedRows rows = ReducedRows.of(t, dims);
        if (Support.isBytes(t) && reduction == ReductionKernel.MEAN && a[a.length - 1] == null) {
            // Half way between two bytes float32 arithmetic decides, which differs from kernel to kernel.
            boolean qnnpack = QuantizedAverages.isQnnpackMean(t, dims);
            Support.require(
                    qnnpack || PoolingLowering.isPlain(rows.length()) && rows.length() % 2 == 1,
                    "as many bytes as their means round alike");
            float factor = qnnpack
                    ? QuantizedAverages.qnnpackFactor(QuantizedMath.perTensor(t).scale(), rows.length())
                    : 0;
            return lowered.compute(
                    new QuantizedMeanOp(axes(t, dims), keep, Rounding.HALF_EVEN, factor),
                    Lowered.tensor(t.dtype(), t.quantization(), rows.sizes(keep)),
                    t);
        }
        return reduce(lowered, reduction, Support.floats(a, 0), dims, keep);
    }

    /** @param dims null or none for all */
    static int[] axes(Tensor t, long[] dims) {
        int[] axes = new int[t.rank()];
        int count = 0;
        for (int d = 0; d < t.rank(); d++) {
            boolean reduced = dims == null || dims.length == 0;
            for (int i = 0; dims != null && i < dims.length; i++) {
                reduced |= Shape.wrap(dims[i], t.rank()) == d;
            }
            if (reduced) {
                axes[count++] = d;
            }
        }
        return Arrays.copyOf(axes, count);
    }
}
