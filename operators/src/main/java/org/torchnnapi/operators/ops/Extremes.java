package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Greatest and least elements and where they are. A NaN counts as both greatest and least; of equal ones the first
 * counts.
 */
public final class Extremes implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        Registrar jumping = r.with(OperatorTrait.JUMPS);
        r.op(
                "aten::max(Tensor self) -> Tensor",
                a -> values(tensor(a, 0), null, false, true, "max"),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS);
        r.op(
                "aten::min(Tensor self) -> Tensor",
                a -> values(tensor(a, 0), null, false, false, "min"),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS);
        jumping.op(
                "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
                a -> both(tensor(a, 0), integer(a, 1), flag(a, 2), true),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.GIVES_PLACES);
        jumping.op(
                "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
                a -> both(tensor(a, 0), integer(a, 1), flag(a, 2), false),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.GIVES_PLACES);
        r.op(
                "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
                a -> values(tensor(a, 0), integers(a, 1), flag(a, 2), true, "amax"),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS);
        r.op(
                "aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
                a -> values(tensor(a, 0), integers(a, 1), flag(a, 2), false, "amin"),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS);
        jumping.op(
                "aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
                a -> indices(tensor(a, 0), dim(a), flag(a, 2), true),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.GIVES_PLACES);
        jumping.op(
                "aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
                a -> indices(tensor(a, 0), dim(a), flag(a, 2), false),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.GIVES_PLACES);
        r.composite(
                "aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
                a -> new Object[] {leastOrGreatest(a, false), leastOrGreatest(a, true)},
                """
            if torch.__is__(dim, None):
              dims = annotate(List[int], [])
            else:
              dims = [unchecked_cast(int, dim)]
            return (torch.amin(self, dims, keepdim), torch.amax(self, dims, keepdim))""");
    }

    /** Of aminmax, for which a number is a list of one that may be kept. */
    private static Tensor leastOrGreatest(Object[] a, boolean greatest) {
        Tensor t = tensor(a, 0).rank() == 0 && flag(a, 2) ? TensorViews.unsqueeze(tensor(a, 0), 0) : tensor(a, 0);
        return values(t, dim(a), flag(a, 2), greatest, "aminmax");
    }

    private static long[] dim(Object[] a) {
        return a[1] == null ? null : new long[] {integer(a, 1)};
    }

    private static Tensor values(Tensor t, long[] dims, boolean keepDims, boolean greatest, String name) {
        if (t.dtype().isQuantized()) {
            return QuantizedMath.through(t, real -> values(real, dims, keepDims, greatest, name));
        }
        ReducedRows rows = ReducedRows.of(t, dims).requireElements(name);
        if (t.dtype().isIntegral()) {
            return rows.reduceLongs(t.dtype(), keepDims, row -> row[extreme(row, greatest)]);
        }
        return rows.reduce(t.dtype(), keepDims, row -> row[extreme(row, greatest)]);
    }

    private static Tensor indices(Tensor t, long[] dims, boolean keepDims, boolean greatest) {
        ReducedRows rows = ReducedRows.of(t.dtype().isQuantized() ? QuantizedMath.integers(t) : t, dims)
                .requireElements(greatest ? "argmax" : "argmin");
        if (t.dtype().isFloating()) {
            double[] all = rows.doubles();
            long[] out = new long[rows.count()];
            double[] row = new double[rows.length()];
            for (int i = 0; i < out.length; i++) {
                System.arraycopy(all, i * row.length, row, 0, row.length);
                out[i] = extreme(row, greatest);
            }
            return Elements.ofLongs(DType.INT64, out, rows.sizes(keepDims));
        }
        return rows.reduceLongs(DType.INT64, keepDims, row -> extreme(row, greatest));
    }

    private static Object both(Tensor t, long dim, boolean keepDims, boolean greatest) {
        long[] dims = {dim};
        return new Object[] {
            values(t, dims, keepDims, greatest, greatest ? "max" : "min"), indices(t, dims, keepDims, greatest)
        };
    }

    private static int extreme(double[] row, boolean greatest) {
        int best = 0;
        for (int i = 0; i < row.length; i++) {
            if (Double.isNaN(row[i])) {
                return i;
            }
            if (greatest ? row[i] > row[best] : row[i] < row[best]) {
                best = i;
            }
        }
        return best;
    }

    private static int extreme(long[] row, boolean greatest) {
        int best = 0;
        for (int i = 1; i < row.length; i++) {
            if (greatest ? row[i] > row[best] : row[i] < row[best]) {
                best = i;
            }
        }
        return best;
    }
}
