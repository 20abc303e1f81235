package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Variances, standard deviations and norms. */
public final class Moments implements OperatorFamily {
    private static final double LARGEST_HALF = 65504;

    private static final String SPREAD = """
        if torch.__is__(dim, None):
          dims = annotate(List[int], [])
        else:
          dims = unchecked_cast(List[int], dim)
        if torch.__is__(correction, None):
          less = 1.
        else:
          less = float(unchecked_cast(number, correction))
        mean = torch.mean(self, dims, True)
        centred = torch.sub(self, mean)
        squares = torch.mul(centred, centred)
        count = torch.floordiv(torch.numel(self), torch.numel(mean))
        if torch.eq(less, 0.):
          variance = torch.mean(squares, dims, keepdim)
        else:
          variance = torch.div(torch.sum(squares, dims, keepdim), ops.prim.max(torch.sub(float(count), less), 0.))
        return %s""";

    @Override
    public void register(Registrar r) {
        for (boolean root : new boolean[] {false, true}) {
            String name = root ? "std" : "var";
            String mean = ", Tensor)";
            r.composite(
                    "aten::" + name + "(Tensor self, bool unbiased=True) -> Tensor",
                    a -> spread(tensor(a, 0), null, correction(a, 1), false, root),
                    "return torch." + name + "(self, None, correction=int(unbiased))");
            r.composite(
                    "aten::" + name
                            + ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
                    a -> spread(tensor(a, 0), ReduceOps.dims(a, 1), correction(a, 2), flag(a, 3), root),
                    "return torch." + name + "(self, dim, correction=int(unbiased), keepdim=keepdim)");
            r.composite(
                    "aten::" + name
                            + ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
                            + "keepdim=False) -> Tensor",
                    a -> spread(tensor(a, 0), ReduceOps.dims(a, 1), a[2] == null ? 1 : real(a, 2), flag(a, 3), root),
                    String.format(SPREAD, root ? "torch.sqrt(variance)" : "variance"));
            r.composite(
                    "aten::" + name + "_mean(Tensor self, bool unbiased=True) -> (Tensor" + mean,
                    a -> withMean(tensor(a, 0), null, correction(a, 1), false, root),
                    "return (torch." + name + "(self, unbiased), torch.mean(self))");
            r.composite(
                    "aten::" + name
                            + "_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor"
                            + mean,
                    a -> withMean(tensor(a, 0), ReduceOps.dims(a, 1), correction(a, 2), flag(a, 3), root),
                    "return (torch." + name + "(self, dim, unbiased, keepdim), torch.mean(self, dim, keepdim))");
            r.composite(
                    "aten::" + name
                            + "_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
                            + "keepdim=False) -> (Tensor"
                            + mean,
                    a -> withMean(tensor(a, 0), ReduceOps.dims(a, 1), a[2] == null ? 1 : real(a, 2), flag(a, 3), root),
                    "return (torch." + name
                            + "(self, dim, correction=correction, keepdim=keepdim), torch.mean(self, dim, keepdim))");
        }
        r.op(
                "aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
                a -> norm(tensor(a, 0), real(a, 1), null, false, null),
                OperatorTrait.REDUCES);
        r.op(
                "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
                a -> norm(tensor(a, 0), order(a, 1), integers(a, 2), flag(a, 3), null),
                OperatorTrait.REDUCES);
        r.op(
                "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype)"
                        + " -> Tensor",
                a -> norm(tensor(a, 0), order(a, 1), integers(a, 2), flag(a, 3), dtypeOr(a, 4, null)),
                OperatorTrait.REDUCES);
        r.op(
                "aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
                a -> norm(tensor(a, 0), order(a, 1), null, false, dtypeOr(a, 2, null)),
                OperatorTrait.REDUCES);
        r.composite(
                "aten::frobenius_norm(Tensor self) -> Tensor",
                a -> norm(tensor(a, 0), 2, null, false, null),
                "return torch.linalg_vector_norm(self, 2)");
        r.composite(
                "aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
                a -> norm(tensor(a, 0), 2, integers(a, 1), flag(a, 2), null),
                "return torch.linalg_vector_norm(self, 2, dim, keepdim)");
        r.composite(
                "aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, "
                        + "ScalarType? dtype=None) -> Tensor",
                """
            if torch.__is__(ord, None):
              result = torch.linalg_vector_norm(self, 2, dim, keepdim, dtype=dtype)
            else:
              order = unchecked_cast(number, ord)
              if torch.__is__(dim, None):
                if torch.__or__(torch.lt(torch.dim(self), 1), torch.gt(torch.dim(self), 2)):
                  ops.prim.RaiseException(torch.format("linalg.norm: If dim is not specified but ord is, the input \
                  must be 1D or 2D. Got {}D.", torch.dim(self)))
                matrices = torch.eq(torch.dim(self), 2)
                dims = [-2, -1]
              else:
                dims = unchecked_cast(List[int], dim)
                matrices = torch.eq(torch.len(dims), 2)
              if matrices:
                result = torch.linalg_matrix_norm(self, order, dims, keepdim, dtype=dtype)
              else:
                result = torch.linalg_vector_norm(self, order, dim, keepdim, dtype=dtype)
            return result""");
        r.op(
                "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, "
                        + "ScalarType? dtype=None) -> Tensor",
                a -> norm(tensor(a, 0), real(a, 1), ReduceOps.dims(a, 2), flag(a, 3), dtypeOr(a, 4, null)),
                OperatorTrait.REDUCES);
    }

    private static long correction(Object[] a, int i) {
        return flag(a, i) ? 1 : 0;
    }

    private static double order(Object[] a, int i) {
        return a[i] == null ? 2 : real(a, i);
    }

    /** {@code sum((x - mean)^2) / (n - correction)}. */
    static Tensor spread(Tensor t, long[] dims, double correction, boolean keepDims, boolean root) {
        if (t.dtype().isComplex()) {
            Tensor both = Pointwise.binary(
                    spread(ComplexParts.part(t, 0), dims, correction, keepDims, false),
                    spread(ComplexParts.part(t, 1), dims, correction, keepDims, false),
                    t.dtype().part(),
                    Double::sum,
                    null);
            return root ? Pointwise.unary(both, Math::sqrt) : both;
        }
        if (t.dtype().isQuantized() && root) {
            return QuantizedMath.through(t, real -> spread(real, dims, correction, keepDims, true));
        }
        if (!t.dtype().isFloating()) {
            throw new IllegalArgumentException("std and var only support floating point dtypes, got "
                    + t.dtype().torchName());
        }
        return ReducedRows.of(t, dims).reduce(t.dtype(), keepDims, row -> {
            double mean = 0;
            for (double x : row) {
                mean += x;
            }
            mean /= row.length;
            double squares = 0;
            for (double x : row) {
                squares += (x - mean) * (x - mean);
            }
            double variance = squares / Math.max(row.length - correction, 0);
            return root ? Math.sqrt(variance) : variance;
        });
    }

    private static Object withMean(Tensor t, long[] dims, double correction, boolean keepDims, boolean root) {
        // The mean that the distances are taken from, in double, not that of torch.mean.
        Tensor mean = t.dtype().isComplex()
                ? ReduceOps.mean(t, dims, keepDims, null)
                : ReducedRows.of(t, dims)
                        .reduce(t.dtype(), keepDims, row -> Arrays.stream(row).sum() / row.length);
        return new Object[] {spread(t, dims, correction, keepDims, root), mean};
    }

    /** The vector norm of an order, over all elements of the dimensions together. */
    static Tensor norm(Tensor t, double order, long[] dims, boolean keepDims, DType wanted) {
        Tensor magnitudes = t.dtype().isComplex() ? magnitude(t) : t;
        DType type = wanted != null ? wanted.part() : Promotion.floating(magnitudes.dtype());
        // PyTorch adds up the powers of float16 in float16.
        double limit = type == DType.FLOAT16 ? LARGEST_HALF : Double.MAX_VALUE;
        return ReducedRows.of(magnitudes, dims).reduce(type, keepDims, row -> norm(row, order, limit));
    }

    static Tensor magnitude(Tensor complex) {
        double[] re = Elements.doubles(ComplexParts.part(complex, 0));
        double[] im = Elements.doubles(ComplexParts.part(complex, 1));
        double[] out = new double[re.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = Math.hypot(re[i], im[i]);
        }
        return Elements.ofDoubles(complex.dtype().part(), out, complex.sizes());
    }

    static double norm(double[] row, double order) {
        return norm(row, order, Double.MAX_VALUE);
    }

    /** @param limit what a sum of powers is infinite above */
    private static double norm(double[] row, double order, double limit) {
        double out = order == Double.NEGATIVE_INFINITY ? Double.POSITIVE_INFINITY : 0;
        for (double x : row) {
            double m = Math.abs(x);
            if (order == Double.POSITIVE_INFINITY) {
                out = Math.max(out, m);
            } else if (order == Double.NEGATIVE_INFINITY) {
                out = Math.min(out, m);
            } else if (order == 0) {
                out += m != 0 ? 1 : 0;
            } else {
                out += order == 2 ? m * m : order == 1 ? m : Math.pow(m, order);
            }
        }
        out = out > limit ? Double.POSITIVE_INFINITY : out;
        boolean plain = Double.isInfinite(order) || order == 0 || order == 1;
        return plain ? out : order == 2 ? Math.sqrt(out) : Math.pow(out, 1 / order);
    }
}
