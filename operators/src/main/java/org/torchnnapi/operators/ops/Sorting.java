package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dim;
import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import java.util.Comparator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Orders along a dimension: sort, topk, kthvalue, median, mode. Sorting is stable; NaN is greater than everything. */
public final class Sorting implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.JUMPS);
        r.op(
                "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
                a -> sort(tensor(a, 0), dim(a, 1, tensor(a, 0).rank()), flag(a, 2)),
                OperatorTrait.MIXES_ALONG,
                OperatorTrait.GIVES_PLACES);
        r.op(
                "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, "
                        + "Tensor indices)",
                a -> sort(tensor(a, 0), dim(a, 2, tensor(a, 0).rank()), flag(a, 3)),
                OperatorTrait.MIXES_ALONG,
                OperatorTrait.GIVES_PLACES);
        r.op(
                "aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
                a -> sort(tensor(a, 0), dim(a, 1, tensor(a, 0).rank()), flag(a, 2))[1],
                OperatorTrait.MIXES_ALONG,
                OperatorTrait.GIVES_PLACES);
        r.op(
                "aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
                a -> sort(tensor(a, 0), dim(a, 2, tensor(a, 0).rank()), flag(a, 3))[1],
                OperatorTrait.MIXES_ALONG,
                OperatorTrait.GIVES_PLACES);
        r.composite("aten::msort(Tensor self) -> Tensor", a -> sort(tensor(a, 0), 0, false)[0], """
            values, places = torch.sort(self, 0)
            return values""");
        r.op(
                "aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
                        + "Tensor indices)",
                a -> topk(tensor(a, 0), integer(a, 1), dim(a, 2, tensor(a, 0).rank()), flag(a, 3)),
                OperatorTrait.MIXES_ALONG,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.GIVES_PLACES);
        r.op(
                "aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
                a -> kth(tensor(a, 0), integer(a, 1), dim(a, 2, tensor(a, 0).rank()), flag(a, 3)),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.GIVES_PLACES);
        r.op("aten::median(Tensor self) -> Tensor", a -> median(tensor(a, 0)), OperatorTrait.REDUCES);
        r.op(
                "aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
                a -> median(tensor(a, 0), dim(a, 1, tensor(a, 0).rank()), flag(a, 2)),
                OperatorTrait.REDUCES,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.GIVES_PLACES);
        // In ascending order the first of the most frequent is the least; where it stands last, its place is told.
        r.composite(
                "aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
                a -> (Object[]) mode(tensor(a, 0), dim(a, 1, tensor(a, 0).rank()), flag(a, 2)),
                """
            rows = torch.transpose(self, dim, -1)
            ordered, _0 = torch.sort(rows, -1)
            equal = torch.eq(torch.unsqueeze(ordered, -1), torch.unsqueeze(ordered, -2))
            counts = torch.sum(torch.to(equal, 6), [-1])
            value = torch.gather(ordered, -1, torch.argmax(counts, -1, True))
            numbers = torch.arange(torch.size(rows, -1), dtype=6)
            place = torch.to(torch.amax(torch.mul(torch.to(torch.eq(rows, value), 6), numbers), [-1], True), 4)
            values, indices = torch.transpose(value, dim, -1), torch.transpose(place, dim, -1)
            if torch.__not__(keepdim):
              values, indices = torch.squeeze(values, dim), torch.squeeze(indices, dim)
            return (values, indices)""");
    }

    /** Indices of each row in ascending or descending order of its elements. */
    private static Integer[][] orders(ReducedRows rows, Tensor t, boolean descending) {
        boolean whole = t.dtype().isIntegral();
        long[] longs = whole ? rows.longs() : null;
        double[] doubles = whole ? null : rows.doubles();
        int n = rows.length();
        Integer[][] orders = new Integer[rows.count()][];
        for (int i = 0; i < orders.length; i++) {
            int base = i * n;
            Integer[] order = new Integer[n];
            Arrays.setAll(order, k -> k);
            Comparator<Integer> ascending = whole
                    ? Comparator.comparingLong(k -> longs[base + k])
                    : (x, y) -> compare(doubles[base + x], doubles[base + y]);
            Arrays.sort(order, descending ? ascending.reversed() : ascending);
            orders[i] = order;
        }
        return orders;
    }

    /** Like Double.compare, but zeros are equal. */
    static int compare(double x, double y) {
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : Boolean.compare(Double.isNaN(x), Double.isNaN(y));
    }

    private static Object[] sort(Tensor t, int dim, boolean descending) {
        ReducedRows rows = ReducedRows.along(t, dim);
        Object[] sorted = take(t, rows, dim, orders(rows, t, descending), 0, rows.length());
        return new Object[] {Tensors.ordered((Tensor) sorted[0], t), Tensors.ordered((Tensor) sorted[1], t)};
    }

    /** The elements at positions {@code from} to {@code to} of each order, and their indices. */
    private static Object[] take(Tensor t, ReducedRows rows, int dim, Integer[][] orders, int from, int to) {
        if (t.dtype().isQuantized()) {
            // Integers and real values have one order.
            Tensor integers = QuantizedMath.integers(t);
            Object[] taken = take(integers, ReducedRows.along(integers, dim), dim, orders, from, to);
            taken[0] = QuantizedMath.retyped((Tensor) taken[0], t.dtype(), t.quantization());
            return taken;
        }
        int n = rows.length();
        int m = to - from;
        long[] indices = new long[rows.count() * m];
        int[] sizes = t.rank() == 0 ? new int[0] : Arrays.copyOf(rows.squeezed(), rows.squeezed().length + 1);
        if (t.rank() > 0) {
            sizes[sizes.length - 1] = m;
        }
        Tensor values;
        if (t.dtype().isIntegral()) {
            long[] in = rows.longs();
            long[] out = new long[indices.length];
            for (int i = 0; i < out.length; i++) {
                indices[i] = orders[i / m][from + i % m];
                out[i] = in[i / m * n + (int) indices[i]];
            }
            values = Elements.ofLongs(t.dtype(), out, sizes);
        } else {
            double[] in = rows.doubles();
            double[] out = new double[indices.length];
            for (int i = 0; i < out.length; i++) {
                indices[i] = orders[i / m][from + i % m];
                out[i] = in[i / m * n + (int) indices[i]];
            }
            values = Elements.ofDoubles(t.dtype(), out, sizes);
        }
        return new Object[] {
            ReducedRows.scatterBack(values, dim),
            ReducedRows.scatterBack(Elements.ofLongs(DType.INT64, indices, sizes), dim)
        };
    }

    private static Object topk(Tensor t, long k, int dim, boolean largest) {
        ReducedRows rows = ReducedRows.along(t, dim);
        if (k < 0 || k > rows.length()) {
            throw new IllegalArgumentException("selected index k out of range");
        }
        return take(t, rows, dim, orders(rows, t, largest), 0, (int) k);
    }

    private static Object[] kth(Tensor t, long k, int dim, boolean keepDims) {
        ReducedRows rows = ReducedRows.along(t, dim);
        if (k < 1 || k > rows.length()) {
            throw new IllegalArgumentException("kthvalue(): selected number k out of range for dimension " + dim);
        }
        Object[] taken = take(t, rows, dim, orders(rows, t, false), (int) k - 1, (int) k);
        return reshaped(taken, rows, keepDims);
    }

    private static Object[] reshaped(Object[] taken, ReducedRows rows, boolean keepDims) {
        for (int i = 0; i < taken.length; i++) {
            taken[i] = TensorViews.reshape((Tensor) taken[i], rows.sizes(keepDims));
        }
        return taken;
    }

    /** The lower median of all elements; NaN if there is one. */
    private static Tensor median(Tensor t) {
        if (t.numel() == 0) {
            return Elements.ofDoubles(t.dtype(), new double[] {Double.NaN});
        }
        Tensor flat = TensorViews.reshape(t, -1L);
        return (Tensor) ((Object[]) median(flat, 0, false))[0];
    }

    private static Object median(Tensor t, int dim, boolean keepDims) {
        ReducedRows rows = ReducedRows.along(t, dim).requireElements("median");
        Integer[][] orders = orders(rows, t, false);
        if (!t.dtype().isIntegral()) {
            double[] in = rows.doubles();
            int n = rows.length();
            for (int i = 0; i < orders.length; i++) {
                int last = orders[i][n - 1];
                if (Double.isNaN(in[i * n + last])) {
                    orders[i][(n - 1) / 2] = last;
                }
            }
        }
        int middle = (rows.length() - 1) / 2;
        return reshaped(take(t, rows, dim, orders, middle, middle + 1), rows, keepDims);
    }

    /** The least of the most frequent elements, at its last place. */
    private static Object mode(Tensor t, int dim, boolean keepDims) {
        ReducedRows rows = ReducedRows.along(t, dim).requireElements("mode");
        Integer[][] orders = orders(rows, t, false);
        double[] in = rows.doubles();
        int n = rows.length();
        for (int i = 0; i < orders.length; i++) {
            Integer[] order = orders[i];
            int best = 0;
            int bestRun = 0;
            int run = 0;
            for (int k = 0; k < n; k++) {
                run = k > 0 && in[i * n + order[k]] == in[i * n + order[k - 1]] ? run + 1 : 1;
                if (run > bestRun) {
                    bestRun = run;
                    best = k;
                }
            }
            order[0] = order[best];
        }
        return reshaped(take(t, rows, dim, orders, 0, 1), rows, keepDims);
    }
}
