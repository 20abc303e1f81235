package org.torchnnapi.operators.support;

/** The normal distribution's functions, with their precision kept in the tails. */
public final class NormalFunctions {
    private static final double ROOT2 = Math.sqrt(2);
    private static final double ROOT_PI = Math.sqrt(Math.PI);

    private NormalFunctions() {}

    /** {@code exp(x * x) * erfc(x)}: for larger x the continued fraction 7.1.14 of Abramowitz and Stegun. */
    public static double scaledErfc(double x) {
        if (x < 2) {
            return Math.exp(x * x) * SpecialFunctions.erfc(x);
        }
        double fraction = x;
        for (int k = 120; k >= 1; k--) {
            fraction = x + k / 2.0 / fraction;
        }
        return 1 / (ROOT_PI * fraction);
    }

    /** The logarithm of the distribution function. */
    public static double logCdf(double x) {
        return x < -1
                ? Math.log(scaledErfc(-x / ROOT2) / 2) - x * x / 2
                : Math.log1p(-0.5 * SpecialFunctions.erfc(x / ROOT2));
    }

    /**
     * Its inverse: from that of the error function, or in the tails from what the tail's logarithm is about, then
     * Newton's method.
     */
    public static double quantile(double p) {
        if (!(p > 0 && p < 1)) {
            return p == 0 ? Double.NEGATIVE_INFINITY : p == 1 ? Double.POSITIVE_INFINITY : Double.NaN;
        }
        if (p > 0.5) {
            return -tail(1 - p);
        }
        return tail(p);
    }

    private static double tail(double p) {
        if (p == 0.5) {
            return 0;
        }
        double log = Math.log(p);
        double x = p > 0.01 ? ROOT2 * SpecialFunctions.erfInverse(2 * p - 1) : -Math.sqrt(-2 * log);
        for (int k = 0; k < 30; k++) {
            // The logarithm of the tail is nearly quadratic, so that the steps do not overshoot.
            double value = logCdf(x);
            double slope = Math.exp(-x * x / 2 - value) / Math.sqrt(2 * Math.PI);
            double step = (value - log) / slope;
            x -= step;
            if (Math.abs(step) < 1e-15 * Math.max(1, Math.abs(x))) {
                break;
            }
        }
        return x;
    }
}
