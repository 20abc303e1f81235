package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.CascadeSum;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.QuantizedAverages;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Sums, products, means and tests over dimensions. Sums of float32 and float64 are rounded as PyTorch's are, see
 * {@link CascadeSum}; those of smaller types are taken in double and rounded once.
 */
public final class ReduceOps implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
                a -> sum(tensor(a, 0), null, false, dtypeOr(a, 1, null)),
                OperatorTrait.LINEAR,
                OperatorTrait.REDUCES);
        r.op(
                "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
                        + "Tensor",
                a -> sum(tensor(a, 0), dims(a, 1), flag(a, 2), dtypeOr(a, 3, null)),
                OperatorTrait.LINEAR,
                OperatorTrait.REDUCES);
        r.composite(
                "aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
                a -> sum(withoutNan(tensor(a, 0)), dims(a, 1), flag(a, 2), dtypeOr(a, 3, null)),
                "return torch.sum(torch.masked_fill(self, torch.ne(self, self), 0), dim, keepdim, dtype=dtype)");
        r.op(
                "aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
                a -> mean(tensor(a, 0), null, false, dtypeOr(a, 1, null)),
                OperatorTrait.LINEAR,
                OperatorTrait.REDUCES,
                OperatorTrait.ROUNDS_INTEGERS);
        r.op(
                "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
                a -> mean(tensor(a, 0), dims(a, 1), flag(a, 2), dtypeOr(a, 3, null)),
                OperatorTrait.LINEAR,
                OperatorTrait.REDUCES,
                OperatorTrait.ROUNDS_INTEGERS);
        r.op(
                "aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
                a -> prod(tensor(a, 0), null, false, dtypeOr(a, 1, null)),
                OperatorTrait.REDUCES);
        r.op(
                "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
                a -> prod(tensor(a, 0), new long[] {integer(a, 1)}, flag(a, 2), dtypeOr(a, 3, null)),
                OperatorTrait.REDUCES);
        r.composite(
                "aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
                a -> BinaryOps.divide(
                        sum(withoutNan(tensor(a, 0)), dims(a, 1), flag(a, 2), dtypeOr(a, 3, null)),
                        sum(numbers(tensor(a, 0)), dims(a, 1), flag(a, 2), null),
                        null),
                "return torch.div(torch.nansum(self, dim, keepdim, dtype=dtype), torch.sum(torch.eq(self, self), "
                        + "dim, keepdim))");
        r.composite(
                "aten::trace(Tensor self) -> Tensor",
                a -> {
                    if (tensor(a, 0).rank() != 2) {
                        throw new IllegalArgumentException("trace: expected a matrix, but got tensor with dim "
                                + tensor(a, 0).rank());
                    }
                    return sum(TensorShape.diagonal(tensor(a, 0), 0, 0, 1), null, false, null);
                },
                "return torch.sum(torch.diagonal(self))");
        r.op(
                "aten::any(Tensor self) -> Tensor",
                a -> any(tensor(a, 0), null, false),
                OperatorTrait.REDUCES,
                OperatorTrait.TESTS);
        r.op(
                "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
                a -> any(tensor(a, 0), new long[] {integer(a, 1)}, flag(a, 2)),
                OperatorTrait.REDUCES,
                OperatorTrait.TESTS);
        r.op(
                "aten::all(Tensor self) -> Tensor",
                a -> all(tensor(a, 0), null, false),
                OperatorTrait.REDUCES,
                OperatorTrait.TESTS);
        r.op(
                "aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
                a -> any(tensor(a, 0), dims(a, 1), flag(a, 2)),
                OperatorTrait.REDUCES,
                OperatorTrait.TESTS);
        r.op(
                "aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
                a -> all(tensor(a, 0), dims(a, 1), flag(a, 2)),
                OperatorTrait.REDUCES,
                OperatorTrait.TESTS);
        r.op(
                "aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
                a -> all(tensor(a, 0), new long[] {integer(a, 1)}, flag(a, 2)),
                OperatorTrait.REDUCES,
                OperatorTrait.TESTS);
        r.composite(
                "aten::count_nonzero(Tensor self, int? dim=None) -> Tensor",
                a -> nonzeros(tensor(a, 0), a[1] == null ? null : new long[] {integer(a, 1)}),
                """
            if torch.__is__(dim, None):
              result = torch.sum(torch.ne(self, 0))
            else:
              result = torch.sum(torch.ne(self, 0), [unchecked_cast(int, dim)])
            return result""");
        r.composite(
                "aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
                a -> nonzeros(tensor(a, 0), integers(a, 1)),
                "return torch.sum(torch.ne(self, 0), dim)");
        r.composite(
                "aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
                a -> logSumExp(tensor(a, 0), integers(a, 1), flag(a, 2)),
                """
            most = torch.amax(self, dim, True)
            sum = torch.add(torch.log(torch.sum(torch.exp(torch.sub(self, most)), dim, True)), most)
            return torch.reshape(sum, torch.size(torch.amax(self, dim, keepdim)))""",
                OperatorTrait.REDUCES);
    }

    /** The dimensions of an argument, null for all. */
    static long[] dims(Object[] a, int i) {
        return a[i] == null ? null : integers(a, i);
    }

    static Tensor sum(Tensor t, long[] dims, boolean keepDims, DType wanted) {
        DType type = wanted != null ? wanted : t.dtype().isIntegral() ? DType.INT64 : t.dtype();
        if (t.dtype().isComplex()) {
            return ComplexParts.apply(t, part -> sum(part, dims, keepDims, null));
        }
        if (type.isComplex()) {
            return Elements.cast(sum(t, dims, keepDims, null), type);
        }
        ReducedRows rows = ReducedRows.of(t, dims);
        if (type.isIntegral()) {
            return rows.reduceLongs(type, keepDims, row -> {
                long sum = 0;
                for (long x : row) {
                    sum += x;
                }
                return sum;
            });
        }
        return CascadeSum.takes(type)
                ? cascade(t, dims, keepDims, type, false)
                : rows.reduce(type, keepDims, ReduceOps::sum);
    }

    /** The sums or the means of what is cast to {@code type} before. */
    private static Tensor cascade(Tensor t, long[] dims, boolean keepDims, DType type, boolean mean) {
        Tensor given = Elements.cast(t, type);
        ReducedRows rows = ReducedRows.of(given, dims);
        double[] sums = CascadeSum.sums(given, ReducedRows.reduced(t.rank(), dims));
        if (mean) {
            double count = type == DType.FLOAT32 ? (float) rows.length() : rows.length();
            for (int i = 0; i < sums.length; i++) {
                sums[i] /= count;
            }
        }
        return Elements.ofDoubles(type, sums, rows.sizes(keepDims));
    }

    private static double sum(double[] row) {
        double sum = 0;
        for (double x : row) {
            sum += x;
        }
        return sum;
    }

    static Tensor mean(Tensor t, long[] dims, boolean keepDims, DType wanted) {
        if (t.dtype().isQuantized()) {
            return quantizedMean(t, dims, keepDims);
        }
        DType type = wanted != null ? wanted : t.dtype();
        if (!type.isFloating() && !type.isComplex()) {
            throw new IllegalArgumentException(
                    "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                            + "dtype. Got: " + type.torchName());
        }
        if (t.dtype().isComplex()) {
            return ComplexParts.apply(t, part -> mean(part, dims, keepDims, null));
        }
        return CascadeSum.takes(type)
                ? cascade(t, dims, keepDims, type, true)
                : ReducedRows.of(t, dims).reduce(type, keepDims, row -> sum(row) / row.length);
    }

    /**
     * By PyTorch's three ways (native/quantized/cpu/ReduceOps.cpp), which round means half way between two integers
     * each in its own manner.
     */
    private static Tensor quantizedMean(Tensor t, long[] dims, boolean keepDims) {
        Quantization.PerTensor q = QuantizedMath.perTensor(t);
        ReducedRows rows = ReducedRows.of(t, dims);
        boolean qnnpack = QuantizedAverages.isQnnpackMean(t, dims);
        if (!qnnpack && !(t.isContiguous() && isInnermost(dims, t.rank()))) {
            return QuantizedMath.through(t, real -> mean(real, dims, keepDims, null));
        }
        float factor = QuantizedAverages.qnnpackFactor(q.scale(), rows.length());
        return rows.reduceLongs(t.dtype(), keepDims, row -> {
                    long sum = 0;
                    for (long x : row) {
                        sum += x;
                    }
                    double mean = qnnpack
                            ? Math.rint((float) (sum - (long) row.length * q.zeroPoint()) * factor) + q.zeroPoint()
                            : Math.rint((float) sum / row.length);
                    return (long)
                            Math.max(QuantizedMath.least(t.dtype()), Math.min(QuantizedMath.greatest(t.dtype()), mean));
                })
                .withQuantization(q);
    }

    private static boolean isInnermost(long[] dims, int rank) {
        if (dims == null || dims.length == 0) {
            return true;
        }
        int first = rank;
        for (long dim : dims) {
            first = Math.min(first, Shape.wrap(dim, rank));
        }
        return first == rank - dims.length;
    }

    private static Tensor prod(Tensor t, long[] dims, boolean keepDims, DType wanted) {
        DType type = wanted != null ? wanted : t.dtype().isIntegral() ? DType.INT64 : t.dtype();
        if (t.dtype().isComplex()) {
            return complexProduct(t, dims, keepDims);
        }
        if (type.isIntegral()) {
            return ReducedRows.of(t, dims).reduceLongs(type, keepDims, row -> {
                long product = 1;
                for (long x : row) {
                    product *= x;
                }
                return product;
            });
        }
        return ReducedRows.of(t, dims).reduce(type, keepDims, row -> {
            double product = 1;
            for (double x : row) {
                product *= x;
            }
            return product;
        });
    }

    private static Tensor complexProduct(Tensor t, long[] dims, boolean keepDims) {
        ReducedRows real = ReducedRows.of(ComplexParts.part(t, 0), dims);
        double[] re = real.doubles();
        double[] im = ReducedRows.of(ComplexParts.part(t, 1), dims).doubles();
        double[] out = new double[2 * real.count()];
        for (int row = 0; row < real.count(); row++) {
            double x = 1;
            double y = 0;
            for (int i = row * real.length(); i < (row + 1) * real.length(); i++) {
                double next = x * re[i] - y * im[i];
                y = x * im[i] + y * re[i];
                x = next;
            }
            out[2 * row] = x;
            out[2 * row + 1] = y;
        }
        return ComplexOperators.ofParts(out, t.dtype(), real.sizes(keepDims));
    }

    /** uint8 stays uint8, as in PyTorch; everything else gives bool. */
    private static DType testType(Tensor t) {
        return t.dtype() == DType.UINT8 ? DType.UINT8 : DType.BOOL;
    }

    private static Tensor any(Tensor t, long[] dims, boolean keepDims) {
        return ReducedRows.of(t, dims).reduce(testType(t), keepDims, row -> {
            for (double x : row) {
                if (x != 0) {
                    return 1;
                }
            }
            return 0;
        });
    }

    private static Tensor all(Tensor t, long[] dims, boolean keepDims) {
        return ReducedRows.of(t, dims).reduce(testType(t), keepDims, row -> {
            for (double x : row) {
                if (x == 0) {
                    return 0;
                }
            }
            return 1;
        });
    }

    private static Tensor nonzeros(Tensor t, long[] dims) {
        return ReducedRows.of(t, dims).reduce(DType.INT64, false, row -> {
            int count = 0;
            for (double x : row) {
                count += x != 0 ? 1 : 0;
            }
            return count;
        });
    }

    private static Tensor numbers(Tensor t) {
        return Pointwise.unary(t, DType.INT64, x -> Double.isNaN(x) ? 0 : 1);
    }

    private static Tensor withoutNan(Tensor t) {
        if (!t.dtype().isFloating()) {
            return t;
        }
        double[] values = Elements.doubles(t).clone();
        for (int i = 0; i < values.length; i++) {
            values[i] = Double.isNaN(values[i]) ? 0 : values[i];
        }
        return Elements.ofDoubles(t.dtype(), values, t.sizes());
    }

    /** {@code log(sum(exp(x)))}, shifted by the maximum so that it cannot overflow. */
    private static Tensor logSumExp(Tensor t, long[] dims, boolean keepDims) {
        return ReducedRows.of(t, dims).reduce(Promotion.floating(t.dtype()), keepDims, row -> {
            double max = Double.NEGATIVE_INFINITY;
            for (double x : row) {
                max = Math.max(max, x);
            }
            if (Double.isInfinite(max)) {
                return max;
            }
            double sum = 0;
            for (double x : row) {
                sum += Math.exp(x - max);
            }
            return max + Math.log(sum);
        });
    }
}
