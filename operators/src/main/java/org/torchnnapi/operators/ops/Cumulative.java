package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dim;
import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Running sums, products and extremes along a dimension. */
public final class Cumulative implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
                a -> running(
                        tensor(a, 0), dim(a, 1, tensor(a, 0).rank()), dtypeOr(a, 2, null), 0, Double::sum, Long::sum),
                OperatorTrait.LINEAR,
                OperatorTrait.MIXES_ALONG);
        r.op(
                "aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
                a -> running(
                        tensor(a, 0),
                        dim(a, 1, tensor(a, 0).rank()),
                        dtypeOr(a, 2, null),
                        1,
                        (x, y) -> x * y,
                        (x, y) -> x * y),
                OperatorTrait.MIXES_ALONG);
        r.op(
                "aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)",
                a -> extremes(tensor(a, 0), dim(a, 1, tensor(a, 0).rank()), true),
                OperatorTrait.MIXES_ALONG,
                OperatorTrait.GIVES_PLACES);
        r.op(
                "aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)",
                a -> extremes(tensor(a, 0), dim(a, 1, tensor(a, 0).rank()), false),
                OperatorTrait.MIXES_ALONG,
                OperatorTrait.GIVES_PLACES);
        r.op(
                "aten::logcumsumexp(Tensor self, int dim) -> Tensor",
                a -> running(
                        tensor(a, 0),
                        dim(a, 1, tensor(a, 0).rank()),
                        null,
                        Double.NEGATIVE_INFINITY,
                        Cumulative::logAddExp,
                        Long::sum),
                OperatorTrait.MIXES_ALONG);
    }

    static Tensor sum(Tensor t, int dim) {
        return running(t, dim, null, 0, Double::sum, Long::sum);
    }

    private static double logAddExp(double x, double y) {
        double max = Math.max(x, y);
        return Double.isInfinite(max) ? max : max + Math.log1p(Math.exp(Math.min(x, y) - max));
    }

    private static Tensor running(
            Tensor t, int dim, DType wanted, double start, DoubleBinaryOperator f, LongBinaryOperator g) {
        DType type = wanted != null ? wanted : t.dtype().isIntegral() ? DType.INT64 : t.dtype();
        ReducedRows rows = ReducedRows.along(t, dim);
        int n = rows.length();
        int[] sizes = sizes(rows, t);
        if (t.dtype().isComplex()) {
            return start == 0
                    ? ComplexParts.apply(t, part -> running(part, dim, null, start, f, g))
                    : products(t, dim, n, sizes);
        }
        if (type.isIntegral()) {
            long[] out = rows.longs().clone();
            for (int i = 0; i < out.length; i++) {
                out[i] = g.applyAsLong(i % n == 0 ? (long) start : out[i - 1], out[i]);
            }
            return ReducedRows.scatterBack(Elements.ofLongs(type, out, sizes), dim);
        }
        double[] out = rows.doubles().clone();
        for (int i = 0; i < out.length; i++) {
            out[i] = f.applyAsDouble(i % n == 0 ? start : out[i - 1], out[i]);
        }
        return ReducedRows.scatterBack(Elements.ofDoubles(type, out, sizes), dim);
    }

    private static Tensor products(Tensor t, int dim, int n, int[] sizes) {
        double[] re = ReducedRows.along(ComplexParts.part(t, 0), dim).doubles();
        double[] im = ReducedRows.along(ComplexParts.part(t, 1), dim).doubles();
        double[] out = new double[2 * re.length];
        for (int i = 0; i < re.length; i++) {
            double x = i % n == 0 ? 1 : out[2 * i - 2];
            double y = i % n == 0 ? 0 : out[2 * i - 1];
            out[2 * i] = x * re[i] - y * im[i];
            out[2 * i + 1] = x * im[i] + y * re[i];
        }
        return ReducedRows.scatterBack(ComplexOperators.ofParts(out, t.dtype(), sizes), dim);
    }

    private static int[] sizes(ReducedRows rows, Tensor t) {
        if (t.rank() == 0) {
            return new int[0];
        }
        int[] sizes = Arrays.copyOf(rows.squeezed(), rows.squeezed().length + 1);
        sizes[sizes.length - 1] = rows.length();
        return sizes;
    }

    /** Of equal elements the last one counts, as in PyTorch. */
    private static Object extremes(Tensor t, int dim, boolean greatest) {
        ReducedRows rows = ReducedRows.along(t, dim);
        int n = rows.length();
        // Real numbers do not tell all whole ones of 64 bits apart.
        long[] whole = t.dtype().isIntegral() ? rows.longs() : null;
        double[] real = whole == null ? rows.doubles() : null;
        long[] indices = new long[(int) t.numel()];
        for (int i = 0; i < indices.length; i++) {
            int at = i % n;
            int best = at == 0 ? i : i - at + (int) indices[i - 1];
            boolean keeps = whole != null
                    ? greatest ? whole[best] > whole[i] : whole[best] < whole[i]
                    : keeps(real[best], real[i], greatest);
            indices[i] = keeps ? best - i + at : at;
        }
        Tensor places = ReducedRows.scatterBack(Elements.ofLongs(DType.INT64, indices, sizes(rows, t)), dim);
        return new Object[] {ScatterGather.gather(t, dim, places), places};
    }

    private static boolean keeps(double before, double now, boolean greatest) {
        return !Double.isNaN(now) && (Double.isNaN(before) || (greatest ? before > now : before < now));
    }
}
