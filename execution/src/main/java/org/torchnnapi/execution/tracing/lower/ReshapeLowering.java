package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.NoDataException;
import org.torchnnapi.tensor.Tensor;

/**
 * Other shapes over the same elements: views where there is one, otherwise, as reshape and flatten may give, copies.
 */
final class ReshapeLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String name : new String[] {
            "view",
            "_unsafe_view",
            "view_as",
            "reshape",
            "reshape_as",
            "flatten",
            "ravel",
            "unflatten",
            "squeeze",
            "unsqueeze"
        }) {
            r.add("aten::" + name, (lowered, node, a) -> lower(lowered, a));
        }
    }

    private static Tensor lower(Lowered lowered, Object[] a) {
        Tensor t = (Tensor) a[0];
        Tensor shaped;
        try {
            shaped = (Tensor) lowered.kernel(a);
        } catch (NoDataException e) {
            // It copies: to where a row-major tensor would be viewed so.
            Object[] dense = a.clone();
            dense[0] = Lowered.tensor(t.dtype(), t.quantization(), t.sizes());
            shaped = (Tensor) lowered.kernel(dense);
        }
        return shaped == t ? t : lowered.compute(new ReshapeOp(shaped.sizes()), shaped, t);
    }
}
