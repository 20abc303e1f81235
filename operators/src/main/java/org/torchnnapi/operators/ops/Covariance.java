package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Covariances and correlations of variables (rows) over observations (columns). */
public final class Covariance implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
            a -> covariance(tensor(a, 0), integer(a, 1), tensorOrNull(a, 2), tensorOrNull(a, 3), false));
        r.op("aten::corrcoef(Tensor self) -> Tensor", a -> covariance(tensor(a, 0), 1, null, null, true));
    }

    /** @param correlation whether to divide by the standard deviations; results stay from -1 to 1 */
    private static Tensor covariance(Tensor t, long correction, Tensor counts, Tensor importance, boolean correlation) {
        if (t.rank() > 2 || t.dtype() == DType.BOOL || t.dtype().isComplex()) {
            throw new IllegalArgumentException("cov(): " + t + " (expected: real numbers in at most two dimensions)");
        }
        int variables = t.rank() < 2 ? 1 : t.size(0);
        int n = t.rank() == 0 ? 1 : t.size(-1);
        double[] x = Elements.doubles(t);
        double[] weights = weights(n, counts, importance);
        double sum = Arrays.stream(weights).sum();
        double normalizer = sum - correction;
        if (importance != null && correction != 0) {
            double[] own = Elements.doubles(importance);
            double shared = 0;
            for (int i = 0; i < n; i++) {
                shared += weights[i] * own[i];
            }
            normalizer = sum - correction * shared / sum;
        }
        normalizer = Math.max(normalizer, 0);
        double[] centred = new double[x.length];
        for (int v = 0; v < variables; v++) {
            double mean = 0;
            for (int i = 0; i < n; i++) {
                mean += weights[i] * x[v * n + i];
            }
            mean /= sum;
            for (int i = 0; i < n; i++) {
                centred[v * n + i] = x[v * n + i] - mean;
            }
        }
        double[] out = new double[variables * variables];
        for (int p = 0; p < variables; p++) {
            for (int q = 0; q < variables; q++) {
                double product = 0;
                for (int i = 0; i < n; i++) {
                    product += weights[i] * centred[p * n + i] * centred[q * n + i];
                }
                out[p * variables + q] = product / normalizer;
            }
        }
        DType type = t.dtype().isIntegral() ? DType.FLOAT32 : t.dtype();
        return Elements.ofDoubles(type, correlation ? correlations(out, variables) : out,
            variables == 1 ? new int[0] : new int[] {variables, variables});
    }

    private static double[] correlations(double[] covariances, int n) {
        double[] out = new double[covariances.length];
        for (int p = 0; p < n; p++) {
            for (int q = 0; q < n; q++) {
                double r = covariances[p * n + q] / (Math.sqrt(covariances[p * n + p]) * Math.sqrt(covariances[q * n + q]));
                out[p * n + q] = n == 1 ? covariances[0] / covariances[0] : Math.max(-1, Math.min(1, r));
            }
        }
        return out;
    }

    private static double[] weights(int n, Tensor counts, Tensor importance) {
        double[] out = new double[n];
        Arrays.fill(out, 1);
        for (Tensor given : new Tensor[] {counts, importance}) {
            if (given == null) {
                continue;
            }
            double[] w = Elements.doubles(given);
            if (given.rank() > 1 || w.length != n || Arrays.stream(w).anyMatch(v -> v < 0)) {
                throw new IllegalArgumentException("cov(): weights " + given + " (expected: " + n + " that are not negative)");
            }
            Arrays.setAll(out, i -> out[i] * w[i]);
        }
        return out;
    }
}
