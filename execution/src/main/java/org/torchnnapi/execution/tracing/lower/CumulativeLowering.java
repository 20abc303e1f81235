package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.CumulativeSumOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Running sums along a dimension. */
final class CumulativeLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        r.add("aten::cumsum", (lowered, node, a) -> {
            Tensor t = Args.tensor(a, 0);
            DType natural = t.dtype() == DType.FLOAT32 ? DType.FLOAT32 : DType.INT64;
            Support.require(t.rank() > 0 && (a[2] == null || Args.dtype(a, 2) == natural), "the type that sums have");
            Tensor x = PromotedNumbers.operand(lowered, t, natural);
            return lowered.compute(
                    new CumulativeSumOp(Args.dim(a, 1, t.rank())), Lowered.tensor(natural, null, t.sizes()), x);
        });
    }
}
