package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Covariances and correlations of variables (rows) over observations (columns). */
public final class Covariance implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
            a -> covariance(tensor(a, 0), integer(a, 1), tensorOrNull(a, 2), tensorOrNull(a, 3)));
        r.op("aten::corrcoef(Tensor self) -> Tensor", a -> correlation(tensor(a, 0)));
    }

    /** In the steps of its definition, whose types meet as those of any tensors do. */
    private static Tensor covariance(Tensor given, long correction, Tensor counts, Tensor importance) {
        if (given.rank() > 2 || given.dtype() == DType.BOOL) {
            throw new IllegalArgumentException("cov(): " + given + " (expected: numbers in at most two dimensions)");
        }
        Tensor t = given.rank() < 2 ? TensorViews.reshape(given, 1, -1) : given;
        int n = t.size(1);
        check(counts, n);
        check(importance, n);
        Tensor weights = counts == null ? importance : importance == null ? counts : Arithmetic.multiply(counts, importance);
        Object sum = weights == null ? (Object) (long) n : Sums.sum(weights, null, false, null);
        Tensor total = Sums.sum(weights == null ? t : Arithmetic.multiply(t, weights), new long[] {1}, false, null);
        Tensor centred = Arithmetic.subtract(t, TensorViews.unsqueeze(Arithmetic.divide(total, sum, null), 1), 1L);
        Tensor other = ComplexOperators.conj(weights == null ? centred : Arithmetic.multiply(centred, weights));
        Tensor product = MatrixProducts.mm(centred, TensorViews.transpose(other, 0, 1));
        return TensorViews.squeeze(Arithmetic.divide(product, freedom(sum, weights, importance, correction), null));
    }

    private static Object freedom(Object sum, Tensor weights, Tensor importance, long correction) {
        if (weights == null) {
            return Math.max((Long) sum - correction, 0);
        }
        Object less = importance == null || correction == 0 ? (Object) correction
            : Arithmetic.divide(Arithmetic.multiply(Sums.sum(Arithmetic.multiply(weights, importance), null, false, null), correction), sum, null);
        Tensor left = Arithmetic.subtract(sum, less, 1L);
        return left.getDouble(0) <= 0 ? (Object) 0L : left;
    }

    private static void check(Tensor weights, int n) {
        if (weights != null && (weights.rank() > 1 || weights.numel() != n || Arrays.stream(Elements.doubles(weights)).anyMatch(v -> v < 0))) {
            throw new IllegalArgumentException("cov(): weights " + weights + " (expected: " + n + " that are not negative)");
        }
    }

    /** Covariances divided by the standard deviations; both parts stay from -1 to 1. */
    private static Tensor correlation(Tensor t) {
        Tensor covariance = covariance(t, 1, null, null);
        if (covariance.rank() == 0) {
            return Arithmetic.divide(covariance, covariance, null);
        }
        int n = covariance.size(0);
        Tensor real = covariance.dtype().isComplex() ? ComplexParts.part(covariance, 0) : covariance;
        Tensor variances = real.asStrided(new int[] {n}, new int[] {real.strides()[0] + real.strides()[1]}, real.offset());
        Tensor deviations = Pointwise.unary(variances, Math::sqrt);
        Tensor out = Arithmetic.divide(Arithmetic.divide(covariance, TensorViews.unsqueeze(deviations, 1), null), deviations, null);
        return out.dtype().isComplex() ? ComplexParts.apply(out, Covariance::bounded) : bounded(out);
    }

    private static Tensor bounded(Tensor t) {
        return Pointwise.unary(t, t.dtype(), x -> Math.max(-1, Math.min(1, x)));
    }
}
