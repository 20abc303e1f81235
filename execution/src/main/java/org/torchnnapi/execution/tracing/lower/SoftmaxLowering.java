package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.Args;
import org.torchnnapi.program.op.SoftmaxOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** softmax and its logarithm along a dimension. */
final class SoftmaxLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String prefix : new String[] {"aten::", "aten::_"}) {
            r.add(prefix + "softmax", (lowered, node, a) -> softmax(lowered, a, false, false));
            r.add(prefix + "log_softmax", (lowered, node, a) -> softmax(lowered, a, true, false));
        }
        r.add("aten::_safe_softmax", (lowered, node, a) -> softmax(lowered, a, false, true));
    }

    private static Tensor softmax(Lowered lowered, Object[] a, boolean logarithm, boolean safe) {
        Tensor t = Support.floats(a, 0);
        Support.require(
                t.rank() > 0
                        && (a[2] == null
                                || Boolean.FALSE.equals(a[2])
                                || Long.valueOf(DType.FLOAT32.code()).equals(a[2])),
                "float32");
        return lowered.compute(
                new SoftmaxOp(Args.dim(a, 1, t.rank()), 1, logarithm, safe),
                Lowered.tensor(DType.FLOAT32, null, t.sizes()),
                t);
    }
}
