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
    private static final String COVARIANCE = """
        if torch.lt(torch.dim(self), 2):
          t = torch.reshape(self, [1, -1])
        else:
          t = self
        if torch.__isnot__(aweights, None):
          importance = unchecked_cast(Tensor, aweights)
          if torch.__isnot__(fweights, None):
            weights = torch.mul(unchecked_cast(Tensor, fweights), importance)
          else:
            weights = importance
          total = torch.sum(weights)
          if torch.eq(correction, 0):
            left = total
          else:
            left = torch.sub(total, torch.div(torch.mul(torch.sum(torch.mul(weights, importance)), correction), total))
        else:
          if torch.__isnot__(fweights, None):
            weights = unchecked_cast(Tensor, fweights)
          else:
            weights = torch.ones_like(torch.select(t, 0, 0))
          total = torch.sum(weights)
          left = torch.sub(total, correction)
        mean = torch.div(torch.sum(torch.mul(t, weights), [1], True), total)
        centred = torch.sub(t, mean)
        other = torch.mul(centred, weights)
        if torch.is_complex(self):
          turned = torch.conj(other)
        else:
          turned = other
        product = torch.mm(centred, torch.t(turned))
        return torch.squeeze(torch.div(product, torch.clamp(left, 0)))""";
    private static final String CORRELATION = """
        covariance = torch.cov(self)
        if torch.eq(torch.dim(covariance), 0):
          result = torch.div(covariance, covariance)
        else:
          if torch.is_complex(covariance):
            deviations = torch.sqrt(torch.real(torch.diagonal(covariance)))
          else:
            deviations = torch.sqrt(torch.diagonal(covariance))
          scaled = torch.div(torch.div(covariance, torch.unsqueeze(deviations, 1)), deviations)
          if torch.is_complex(covariance):
            result = torch.complex(torch.clamp(torch.real(scaled), -1, 1), torch.clamp(torch.imag(scaled), -1, 1))
          else:
            result = torch.clamp(scaled, -1, 1)
        return result""";

    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
                a -> covariance(tensor(a, 0), integer(a, 1), tensorOrNull(a, 2), tensorOrNull(a, 3)),
                COVARIANCE);
        r.composite("aten::corrcoef(Tensor self) -> Tensor", a -> correlation(tensor(a, 0)), CORRELATION);
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
        Tensor weights =
                counts == null ? importance : importance == null ? counts : BinaryOps.multiply(counts, importance);
        Object sum = weights == null ? (Object) (long) n : ReduceOps.sum(weights, null, false, null);
        Tensor total = ReduceOps.sum(weights == null ? t : BinaryOps.multiply(t, weights), new long[] {1}, false, null);
        Tensor centred = BinaryOps.subtract(t, TensorViews.unsqueeze(BinaryOps.divide(total, sum, null), 1), 1L);
        Tensor other = ComplexOperators.conj(weights == null ? centred : BinaryOps.multiply(centred, weights));
        Tensor product = MatrixProducts.mm(centred, TensorViews.transpose(other, 0, 1));
        return TensorViews.squeeze(BinaryOps.divide(product, freedom(sum, weights, importance, correction), null));
    }

    private static Object freedom(Object sum, Tensor weights, Tensor importance, long correction) {
        if (weights == null) {
            return Math.max((Long) sum - correction, 0);
        }
        Object less = importance == null || correction == 0
                ? (Object) correction
                : BinaryOps.divide(
                        BinaryOps.multiply(
                                ReduceOps.sum(BinaryOps.multiply(weights, importance), null, false, null), correction),
                        sum,
                        null);
        Tensor left = BinaryOps.subtract(sum, less, 1L);
        return left.getDouble(0) <= 0 ? (Object) 0L : left;
    }

    private static void check(Tensor weights, int n) {
        if (weights != null
                && (weights.rank() > 1
                        || weights.numel() != n
                        || Arrays.stream(Elements.doubles(weights)).anyMatch(v -> v < 0))) {
            throw new IllegalArgumentException(
                    "cov(): weights " + weights + " (expected: " + n + " that are not negative)");
        }
    }

    /** Covariances divided by the standard deviations; both parts stay from -1 to 1. */
    private static Tensor correlation(Tensor t) {
        Tensor covariance = covariance(t, 1, null, null);
        if (covariance.rank() == 0) {
            return BinaryOps.divide(covariance, covariance, null);
        }
        int n = covariance.size(0);
        Tensor real = covariance.dtype().isComplex() ? ComplexParts.part(covariance, 0) : covariance;
        Tensor variances =
                real.asStrided(new int[] {n}, new int[] {real.strides()[0] + real.strides()[1]}, real.offset());
        Tensor deviations = Pointwise.unary(variances, Math::sqrt);
        Tensor out = BinaryOps.divide(
                BinaryOps.divide(covariance, TensorViews.unsqueeze(deviations, 1), null), deviations, null);
        return out.dtype().isComplex() ? ComplexParts.apply(out, Covariance::bounded) : bounded(out);
    }

    private static Tensor bounded(Tensor t) {
        return Pointwise.unary(t, t.dtype(), x -> Math.max(-1, Math.min(1, x)));
    }
}
