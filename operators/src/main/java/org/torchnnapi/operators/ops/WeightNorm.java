package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** {@code weight_norm}: a weight kept as direction and length (Salimans and Kingma 2016): {@code v * g / |v|}. */
public final class WeightNorm implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor",
                a -> weight(tensor(a, 0), tensor(a, 1), integer(a, 2)));
    }

    /** Lengths are taken over all dimensions but {@code dim}; -1 stands for no exception. */
    private static Tensor weight(Tensor v, Tensor g, long dim) {
        long[] others = null;
        if (dim != -1) {
            int kept = Shape.wrap(dim, v.rank());
            others = new long[v.rank() - 1];
            for (int d = 0, at = 0; d < v.rank(); d++) {
                if (d != kept) {
                    others[at++] = d;
                }
            }
        }
        Tensor length = others != null && others.length == 0
                ? Pointwise.unary(v, v.dtype(), Math::abs)
                : Moments.norm(v, 2, others, dim != -1, null);
        Tensor factor = Pointwise.binary(g, length, v.dtype(), (x, n) -> x / n, null);
        return Pointwise.binary(v, factor, v.dtype(), (x, f) -> x * f, null);
    }
}
