package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Numerical gradients of sampled functions: central differences inside, one-sided ones of first or second order at the
 * ends (as numpy.gradient).
 */
public final class Gradients implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        String self = "(Tensor self, *, ";
        String one = "int? dim=None, int edge_order=1) -> Tensor[]";
        String several = "int[] dim, int edge_order=1) -> Tensor[]";
        r.op("aten::gradient.scalarint" + self + "Scalar? spacing=None, " + one, of(1, 2));
        r.op("aten::gradient.scalararray" + self + "Scalar spacing, " + several, of(1, 2));
        r.op("aten::gradient.array" + self + several, a -> gradient(tensor(a, 0), null, integers(a, 1), integer(a, 2)));
        r.op("aten::gradient.scalarrayint" + self + "Scalar[] spacing, " + one, of(1, 2));
        r.op("aten::gradient.scalarrayarray" + self + "Scalar[] spacing, " + several, of(1, 2));
        r.op("aten::gradient.tensorarrayint" + self + "Tensor[] spacing, " + one, of(1, 2));
        r.op("aten::gradient.tensorarray" + self + "Tensor[] spacing, " + several, of(1, 2));
    }

    private static OperatorKernel of(int spacing, int dim) {
        return a -> gradient(
                tensor(a, 0),
                a[spacing],
                a[dim] instanceof ScriptList
                        ? integers(a, dim)
                        : integerOrNull(a, dim) == null ? null : new long[] {integer(a, dim)},
                integer(a, dim + 1));
    }

    /**
     * @param spacing null for 1, a number for all dimensions, or a list with a number or a tensor of coordinates for
     *     each
     */
    private static ScriptList gradient(Tensor t, Object spacing, long[] dims, long order) {
        long[] all = dims;
        if (all == null) {
            all = new long[t.rank()];
            Arrays.setAll(all, i -> i);
        }
        if (order != 1 && order != 2) {
            throw new IllegalArgumentException(
                    "torch.gradient only supports edge_order=1 and edge_order=2, not " + order);
        }
        if (spacing instanceof ScriptList list && list.size() != all.length) {
            throw new IllegalArgumentException(
                    "torch.gradient expected spacing to be unspecified, a scalar, or a list of length " + all.length
                            + ", but got a list of length " + list.size());
        }
        List<Tensor> out = new ArrayList<>();
        for (int i = 0; i < all.length; i++) {
            int dim = Shape.wrap(all[i], t.rank());
            if (t.size(dim) <= order) {
                throw new IllegalArgumentException(
                        "torch.gradient expected each dimension size to be at least edge_order+1, but dimension " + dim
                                + " has size " + t.size(dim));
            }
            Object own = spacing instanceof ScriptList list ? list.get(i) : spacing == null ? (Object) 1L : spacing;
            out.add(own instanceof Tensor x ? uneven(t, x, dim, order) : even(t, own, dim, order));
        }
        return Args.list(out);
    }

    private static Tensor even(Tensor t, Object distance, int dim, long order) {
        int n = t.size(dim);
        Tensor inside = weighted(t, dim, 0, n - 2, new Object[] {-0.5, null, 0.5});
        Object[] first = order == 1 ? new Object[] {-1.0, 1.0} : new Object[] {-1.5, 2.0, -0.5};
        Object[] last = order == 1 ? new Object[] {-1.0, 1.0} : new Object[] {0.5, -2.0, 1.5};
        Tensor all = ConcatenationOperators.cat(
                List.of(weighted(t, dim, 0, 1, first), inside, weighted(t, dim, n - last.length, 1, last)), dim);
        return BinaryOps.divide(all, distance, null);
    }

    /** The weights of a parabola through three points, whose distances are {@code left} and {@code right}. */
    private static Tensor uneven(Tensor t, Tensor x, int dim, long order) {
        int n = t.size(dim);
        if (x.rank() != 1 || x.size(0) != n) {
            throw new IllegalArgumentException(
                    "torch.gradient expected each element of spacing to have 1 dimension and the length of its "
                            + "dimension, but got "
                            + x + " for " + n);
        }
        int[] along = new int[t.rank()];
        Arrays.fill(along, 1);
        along[dim] = n - 1;
        Tensor steps = TensorViews.reshape(
                BinaryOps.subtract(TensorViews.narrow(x, 0, 1, n - 1), TensorViews.narrow(x, 0, 0, n - 1), 1L), along);
        Tensor left = TensorViews.narrow(steps, dim, 0, n - 2);
        Tensor right = TensorViews.narrow(steps, dim, 1, n - 2);
        Tensor both = BinaryOps.add(left, right, 1L);
        Tensor inside = weighted(t, dim, 0, n - 2, new Object[] {
            BinaryOps.multiply(over(right, left, both), -1L),
            over(BinaryOps.subtract(right, left, 1L), left, right),
            over(left, right, both)
        });
        return ConcatenationOperators.cat(
                List.of(end(t, steps, dim, order, true), inside, end(t, steps, dim, order, false)), dim);
    }

    private static Tensor end(Tensor t, Tensor steps, int dim, long order, boolean first) {
        int n = t.size(dim);
        Tensor near = TensorViews.narrow(steps, dim, first ? 0 : n - 2, 1);
        if (order == 1) {
            return BinaryOps.divide(weighted(t, dim, first ? 0 : n - 2, 1, new Object[] {-1.0, 1.0}), near, null);
        }
        Tensor far = TensorViews.narrow(steps, dim, first ? 1 : n - 3, 1);
        Tensor both = BinaryOps.add(near, far, 1L);
        Tensor outer = over(BinaryOps.add(both, near, 1L), near, both);
        Tensor middle = over(both, near, far);
        Tensor inner = over(near, far, both);
        Object[] weights = first
                ? new Object[] {BinaryOps.multiply(outer, -1L), middle, BinaryOps.multiply(inner, -1L)}
                : new Object[] {inner, BinaryOps.multiply(middle, -1L), outer};
        return weighted(t, dim, first ? 0 : n - 3, 1, weights);
    }

    private static Tensor over(Tensor numerator, Tensor a, Tensor b) {
        return BinaryOps.divide(numerator, BinaryOps.multiply(a, b), null);
    }

    /** The sum of slices that begin one after the other, each times its weight; none where that is null. */
    private static Tensor weighted(Tensor t, int dim, int from, int length, Object[] weights) {
        Tensor sum = null;
        for (int k = 0; k < weights.length; k++) {
            if (weights[k] != null) {
                Tensor part = BinaryOps.multiply(TensorViews.narrow(t, dim, from + k, length), weights[k]);
                sum = sum == null ? part : BinaryOps.add(sum, part, 1L);
            }
        }
        return sum;
    }
}
