package org.torchnnapi.operators.support;

/** Bessel and Airy functions of real numbers, after Abramowitz and Stegun, chapters 9 and 10. */
public final class BesselFunctions {
    private static final double EULER = 0.57721566490153286061;
    /** Up to here series converge without losing too many digits; from here on asymptotic ones have enough. */
    private static final double FAR = 15;

    private BesselFunctions() {}

    /** First kind, order 0 or 1 (9.1.10, 9.2.5). */
    public static double j(int order, double x) {
        double a = Math.abs(x);
        double sign = order == 1 && x < 0 ? -1 : 1;
        if (Double.isInfinite(a)) {
            return 0;
        }
        if (a > FAR) {
            double phase = a - (order / 2.0 + 0.25) * Math.PI;
            return sign
                    * Math.sqrt(2 / (Math.PI * a))
                    * (hankel(order, a, true) * Math.cos(phase) - hankel(order, a, false) * Math.sin(phase));
        }
        double term = order == 0 ? 1 : a / 2;
        double sum = term;
        for (int k = 1; k < 100; k++) {
            term *= -a * a / 4 / (k * (double) (k + order));
            sum += term;
        }
        return sign * sum;
    }

    /** Second kind, order 0 or 1 (9.1.13, 9.1.11, 9.2.6). */
    public static double y(int order, double x) {
        if (!(x > 0)) {
            return x == 0 ? Double.NEGATIVE_INFINITY : Double.NaN;
        }
        if (Double.isInfinite(x)) {
            return 0;
        }
        if (x > FAR) {
            double phase = x - (order / 2.0 + 0.25) * Math.PI;
            return Math.sqrt(2 / (Math.PI * x))
                    * (hankel(order, x, true) * Math.sin(phase) + hankel(order, x, false) * Math.cos(phase));
        }
        double term = order == 0 ? 1 : x / 2;
        double harmonic = 0;
        double sum = 0;
        for (int k = 0; k < 100; k++) {
            if (k > 0) {
                term *= -x * x / 4 / (k * (double) (k + order));
                harmonic += 1.0 / k;
            }
            sum += term * (order == 0 ? 2 * harmonic : 2 * harmonic + 1.0 / (k + 1));
        }
        double regular = 2 / Math.PI * (Math.log(x / 2) + EULER) * j(order, x) - sum / Math.PI;
        return order == 0 ? regular : regular - 2 / (Math.PI * x);
    }

    /** The even or odd terms of Hankel's expansion (9.2.9, 9.2.10), up to the smallest. */
    private static double hankel(int order, double x, boolean even) {
        double mu = 4.0 * order * order;
        double term = 1;
        double sum = even ? 1 : 0;
        for (int k = 1; k < 60; k++) {
            double next = term * (mu - (2 * k - 1.0) * (2 * k - 1)) / (k * 8 * x);
            if (Math.abs(next) > Math.abs(term)) {
                break;
            }
            term = next;
            boolean own = k % 2 == 0 == even;
            sum += own ? (k / 2 % 2 == 0 ? term : -term) : 0;
        }
        return sum;
    }

    /** Modified, first kind, order 0 or 1, times exp(-|x|) (9.6.10, 9.7.1). */
    public static double scaledI(int order, double x) {
        double a = Math.abs(x);
        double sign = order == 1 && x < 0 ? -1 : 1;
        if (Double.isNaN(x) || Double.isInfinite(x)) {
            return Double.isNaN(x) ? x : 0;
        }
        if (a > 30) {
            double term = 1;
            double sum = 1;
            for (int k = 1; k < 20; k++) {
                term *= -(4.0 * order * order - (2 * k - 1.0) * (2 * k - 1)) / (k * 8 * a);
                sum += term;
            }
            return sign * sum / Math.sqrt(2 * Math.PI * a);
        }
        double term = order == 0 ? 1 : a / 2;
        double sum = term;
        for (int k = 1; k < 200; k++) {
            term *= a * a / 4 / (k * (double) (k + order));
            sum += term;
        }
        return sign * sum * Math.exp(-a);
    }

    /** Modified, first kind. */
    public static double i(int order, double x) {
        return Double.isInfinite(x)
                ? order == 1 ? x : Double.POSITIVE_INFINITY
                : scaledI(order, x) * Math.exp(Math.abs(x));
    }

    /**
     * Modified, second kind, of any real order, times exp(x): the integral 9.6.24 by trapezoids, which converge
     * exponentially here.
     */
    public static double scaledK(double order, double x) {
        if (!(x > 0)) {
            return x == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
        }
        if (Double.isInfinite(x)) {
            return 0;
        }
        double step = Math.min(0.05, 0.25 / Math.sqrt(x));
        double sum = 0.5;
        for (int k = 1; k < 100_000; k++) {
            double t = k * step;
            double half = Math.sinh(t / 2);
            double term = Math.exp(-2 * x * half * half) * Math.cosh(order * t);
            sum += term;
            if (term < 1e-18 * sum && t > 1) {
                break;
            }
        }
        return sum * step;
    }

    /** Modified, second kind. */
    public static double k(double order, double x) {
        return Double.isInfinite(x) && x > 0 ? 0 : scaledK(order, x) * Math.exp(-x);
    }

    /** The Airy function Ai (10.4.14, 10.4.2, 10.4.60). */
    public static double airy(double x) {
        if (Double.isNaN(x) || Double.isInfinite(x)) {
            return Double.isNaN(x) ? x : 0;
        }
        double zeta = 2.0 / 3 * Math.pow(Math.abs(x), 1.5);
        if (x > 1) {
            return Math.sqrt(x / 3) / Math.PI * k(1.0 / 3, zeta);
        }
        if (x < -7) {
            return airyFar(-x, zeta);
        }
        double f = 1;
        double g = x;
        double fTerm = 1;
        double gTerm = x;
        for (int k = 1; k < 100; k++) {
            fTerm *= x * x * x / ((3 * k - 1.0) * (3 * k));
            gTerm *= x * x * x / ((3 * k) * (3 * k + 1.0));
            f += fTerm;
            g += gTerm;
        }
        return 0.35502805388781723926 * f - 0.25881940379280679840 * g;
    }

    private static double airyFar(double x, double zeta) {
        double term = 1;
        double even = 1;
        double odd = 0;
        for (int k = 1; k < 40; k++) {
            double next = term * (6 * k - 5.0) * (6 * k - 3.0) * (6 * k - 1.0) / ((2 * k - 1.0) * 216 * k * zeta);
            if (next > term) {
                break;
            }
            term = next;
            double signed = k / 2 % 2 == 0 ? term : -term;
            even += k % 2 == 0 ? signed : 0;
            odd += k % 2 == 0 ? 0 : signed;
        }
        double phase = zeta + Math.PI / 4;
        return (Math.sin(phase) * even - Math.cos(phase) * odd) / (Math.sqrt(Math.PI) * Math.pow(x, 0.25));
    }

    /** The spherical Bessel function of order 0: sin(x) / x. */
    public static double spherical(double x) {
        return Double.isInfinite(x) ? 0 : Math.abs(x) < 1e-4 ? 1 - x * x / 6 : Math.sin(x) / x;
    }
}
