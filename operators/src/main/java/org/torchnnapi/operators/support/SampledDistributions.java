package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Numbers of a distribution that each element names, drawn in float64 and row by row from the shared generator, as
 * PyTorch draws them.
 */
public final class SampledDistributions {
    /** Successes or failures expected from which on binomial numbers are drawn by rejection. */
    private static final double FEW = 10;

    private SampledDistributions() {}

    /**
     * Gamma numbers of scale 1, none below the type's least normal number.
     *
     * @param shapes float32 or float64
     * @throws IllegalArgumentException for another type
     */
    public static Tensor gamma(Tensor shapes) {
        requireFloat("gamma_cpu", shapes.dtype());
        double[] drawn = gammas(shapes);
        double least = least(shapes.dtype());
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = Math.max(least, drawn[i]);
        }
        return Elements.ofDoubles(shapes.dtype(), drawn, shapes.sizes());
    }

    /**
     * Proportions along the last dimension, which sum up to 1; none is 0 or 1.
     *
     * @param concentrations float32 or float64
     * @throws IllegalArgumentException for another type
     */
    public static Tensor dirichlet(Tensor concentrations) {
        requireFloat("dirichlet", concentrations.dtype());
        double[] drawn = gammas(concentrations);
        boolean wide = concentrations.dtype() == DType.FLOAT64;
        double least = least(concentrations.dtype());
        double most = wide ? Math.nextDown(1.0) : Math.nextDown(1f);
        int row = concentrations.rank() == 0 ? 1 : Math.max(concentrations.size(-1), 1);
        for (int from = 0; from < drawn.length; from += row) {
            double sum = 0;
            for (int i = from; i < from + row; i++) {
                sum += drawn[i];
            }
            for (int i = from; i < from + row; i++) {
                drawn[i] = Math.min(most, Math.max(least, drawn[i] / sum));
            }
        }
        return Elements.ofDoubles(concentrations.dtype(), drawn, concentrations.sizes());
    }

    /**
     * How often a trial succeeds.
     *
     * @param counts of trials, float32 or float64
     * @param probabilities of a success, of the same type; broadcast with the counts
     * @throws IllegalArgumentException for other types, or a count that is no number
     */
    public static Tensor binomial(Tensor counts, Tensor probabilities) {
        requireFloat("binomial_cpu", counts.dtype());
        if (probabilities.dtype() != counts.dtype()) {
            throw new IllegalArgumentException(
                    "binomial: probabilities of " + probabilities.dtype().torchName() + " (expected: "
                            + counts.dtype().torchName() + ", as the counts are)");
        }
        int[] sizes = BroadcastShapes.shape(counts.sizes(), probabilities.sizes());
        double[] drawn = Elements.doubles(BroadcastShapes.expand(counts, sizes)).clone();
        double[] p = Elements.doubles(BroadcastShapes.expand(probabilities, sizes));
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            for (int i = 0; i < drawn.length; i++) {
                if (Double.isNaN(drawn[i])) {
                    throw new IllegalArgumentException("binomial: count " + drawn[i] + " (expected: a number)");
                }
                drawn[i] = binomial(generator, drawn[i], p[i]);
            }
        }
        return Elements.ofDoubles(counts.dtype(), drawn, sizes);
    }

    private static double[] gammas(Tensor shapes) {
        double[] values = Elements.doubles(shapes).clone();
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            for (int i = 0; i < values.length; i++) {
                values[i] = gamma(generator, values[i]);
            }
        }
        return values;
    }

    /**
     * By Marsaglia and Tsang's method (2000); shapes below 1 as a power of a uniform number times one of the next
     * shape.
     */
    private static double gamma(RandomGenerator generator, double shape) {
        if (shape == 0) {
            return 0;
        }
        double scale = shape < 1 ? Math.pow(1 - generator.nextDouble(), 1 / shape) : 1;
        double d = (shape < 1 ? shape + 1 : shape) - 1 / 3.0;
        double c = 1 / Math.sqrt(9 * d);
        while (true) {
            double x = generator.nextNormal();
            double root = 1 + c * x;
            if (root <= 0) {
                continue;
            }
            double v = root * root * root;
            double u = 1 - generator.nextDouble();
            double square = x * x;
            if (u < 1 - 0.0331 * square * square || Math.log(u) < 0.5 * square + d * (1 - v + Math.log(v))) {
                return scale * d * v;
            }
        }
    }

    private static double binomial(RandomGenerator generator, double count, double p) {
        if (count <= 0 || p <= 0) {
            return 0;
        }
        if (p >= 1) {
            return count;
        }
        if (Double.isNaN(p)) {
            return Double.NaN;
        }
        double rarer = Math.min(p, 1 - p);
        double drawn = count * rarer >= FEW ? byRejection(generator, count, rarer) : byWaiting(generator, count, rarer);
        return p <= 0.5 ? drawn : count - drawn;
    }

    /** Counts successes by how many trials each takes, which is a geometric number. */
    private static double byWaiting(RandomGenerator generator, double count, double p) {
        double failure = Math.log1p(-p);
        double trials = 0;
        double successes = 0;
        while (true) {
            trials += Math.ceil(Math.log(generator.nextDouble()) / failure);
            if (trials > count) {
                return successes;
            }
            successes++;
        }
    }

    /** Hoermann's transformed rejection with squeeze (1993), accepted by the ratio to the probability of the mode. */
    private static double byRejection(RandomGenerator generator, double count, double p) {
        double deviation = Math.sqrt(count * p * (1 - p));
        double b = 1.15 + 2.53 * deviation;
        double a = -0.0873 + 0.0248 * b + 0.01 * p;
        double center = count * p + 0.5;
        double accepted = 0.92 - 4.2 / b;
        double alpha = (2.83 + 5.1 / b) * deviation;
        double odds = Math.log(p / (1 - p));
        double mode = Math.floor((count + 1) * p);
        double atMode = SpecialFunctions.logGamma(mode + 1) + SpecialFunctions.logGamma(count - mode + 1);
        while (true) {
            double u = generator.nextDouble() - 0.5;
            double v = generator.nextDouble();
            double us = 0.5 - Math.abs(u);
            double k = Math.floor((2 * a / us + b) * u + center);
            if (us >= 0.07 && v <= accepted) {
                return k;
            }
            if (k >= 0
                    && k <= count
                    && Math.log(v * alpha / (a / (us * us) + b))
                            <= atMode
                                    - SpecialFunctions.logGamma(k + 1)
                                    - SpecialFunctions.logGamma(count - k + 1)
                                    + (k - mode) * odds) {
                return k;
            }
        }
    }

    private static double least(DType type) {
        return type == DType.FLOAT64 ? Double.MIN_NORMAL : Float.MIN_NORMAL;
    }

    private static void requireFloat(String operator, DType type) {
        if (type != DType.FLOAT32 && type != DType.FLOAT64) {
            throw new IllegalArgumentException("\"" + operator + "\" not implemented for '" + type.torchName()
                    + "' (expected: float32 or float64)");
        }
    }
}
