package org.torchnnapi.operators.support;

import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.tensor.platform.Interruption;

/** Orthogonal polynomials by their recurrences (Abramowitz and Stegun, 22.7). */
public final class Polynomials {
    private Polynomials() {}

    /**
     * Degrees above which PyTorch takes Chebyshev's of the first kind, and of the others, as trigonometric functions.
     */
    private static final int TRIGONOMETRIC_FIRST = 6;

    private static final int TRIGONOMETRIC = 8;
    /** Steps after which a recurrence looks whether its thread was interrupted. */
    private static final long POLLED = 1 << 16;

    /**
     * Chebyshev's, of the kinds t, u, v and w, of degree n; 0 below degree 0. Between -1 and 1 those of higher degrees
     * are trigonometric functions (Abramowitz and Stegun, 22.3.15), each step of which is rounded.
     */
    public static double chebyshev(char kind, double x, double degree, DoubleUnaryOperator rounding) {
        long n = degree(degree);
        if (n >= 0 && Math.abs(x) == 1) {
            return atEnd(kind, x > 0, n);
        }
        if (n > (kind == 't' ? TRIGONOMETRIC_FIRST : TRIGONOMETRIC) && Math.abs(x) < 1) {
            double angle = rounding.applyAsDouble(Math.acos(x));
            return kind == 't' ? Math.cos(rounding.applyAsDouble(n * angle)) : quotient(kind, n, angle, rounding);
        }
        double first = switch (kind) {
            case 't' -> x;
            case 'u' -> 2 * x;
            case 'v' -> 2 * x - 1;
            default -> 2 * x + 1;
        };
        return recur(degree, first, (k, p, q) -> 2 * x * p - q);
    }

    /** At 1 or -1. */
    private static double atEnd(char kind, boolean isOne, long n) {
        double sign = isOne || n % 2 == 0 ? 1 : -1;
        return switch (kind) {
            case 't' -> sign;
            case 'u' -> sign * (n + 1.);
            case 'v' -> isOne ? 1 : sign * (2. * n + 1);
            default -> isOne ? 2. * n + 1 : sign;
        };
    }

    private static double quotient(char kind, long n, double angle, DoubleUnaryOperator rounding) {
        double half = rounding.applyAsDouble(angle / 2);
        double turned = rounding.applyAsDouble((kind == 'u' ? n + 1. : n + 0.5) * angle);
        return switch (kind) {
            case 'u' -> rounding.applyAsDouble(Math.sin(turned)) / rounding.applyAsDouble(Math.sin(angle));
            case 'v' -> rounding.applyAsDouble(Math.cos(turned)) / rounding.applyAsDouble(Math.cos(half));
            default -> rounding.applyAsDouble(Math.sin(turned)) / rounding.applyAsDouble(Math.sin(half));
        };
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

    /** As C converts it where PyTorch does: what no number of 64 bits is, is the least one, which is no degree. */
    private static long degree(double degree) {
        return degree >= -0x1p63 && degree < 0x1p63 ? (long) degree : Long.MIN_VALUE;
    }

    private static double recur(double degree, double first, Step step) {
        long n = degree(degree);
        if (n < 0) {
            return 0;
        }
        double before = 1;
        double last = first;
        for (long k = 2; k <= n && !Double.isNaN(last); k++) {
            if (k % POLLED == 0) {
                Interruption.check();
            }
            double next = step.next(k, last, before);
            before = last;
            last = next;
        }
        return n == 0 ? 1 : last;
    }
}
