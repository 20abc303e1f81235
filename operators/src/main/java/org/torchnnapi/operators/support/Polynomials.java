package org.torchnnapi.operators.support;

/** Orthogonal polynomials by their recurrences (Abramowitz and Stegun, 22.7). */
public final class Polynomials {
    private Polynomials() {}

    /** Chebyshev's, of the kinds t, u, v and w, of degree n; 0 below degree 0. */
    public static double chebyshev(char kind, double x, double n) {
        double first = switch (kind) {
            case 't' -> x;
            case 'u' -> 2 * x;
            case 'v' -> 2 * x - 1;
            default -> 2 * x + 1;
        };
        return recur(n, first, (k, p, q) -> 2 * x * p - q);
    }

    /** Hermite's of the physicists. */
    public static double hermite(double x, double n) {
        return recur(n, 2 * x, (k, p, q) -> 2 * x * p - 2 * (k - 1) * q);
    }

    /** Hermite's of the statisticians. */
    public static double hermiteE(double x, double n) {
        return recur(n, x, (k, p, q) -> x * p - (k - 1) * q);
    }

    /** Laguerre's. */
    public static double laguerre(double x, double n) {
        return recur(n, 1 - x, (k, p, q) -> ((2 * k - 1 - x) * p - (k - 1) * q) / k);
    }

    /** Legendre's. */
    public static double legendre(double x, double n) {
        return recur(n, x, (k, p, q) -> ((2 * k - 1) * x * p - (k - 1) * q) / k);
    }

    private interface Step {
        double next(long k, double last, double beforeLast);
    }

    private static double recur(double degree, double first, Step step) {
        long n = (long) degree;
        if (n < 0) {
            return 0;
        }
        double before = 1;
        double last = first;
        for (long k = 2; k <= n && !Double.isNaN(last); k++) {
            double next = step.next(k, last, before);
            before = last;
            last = next;
        }
        return n == 0 ? 1 : last;
    }
}
