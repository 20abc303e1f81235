package org.torchnnapi.operators.support;

/** The Hurwitz zeta function and what follows from it, and incomplete gamma functions. */
public final class GammaFunctions {
    /** Bernoulli's numbers of even index divided by the factorial of it, from the second on. */
    private static final double[] BERNOULLI = {
        1.0 / 12,
        -1.0 / 720,
        1.0 / 30240,
        -1.0 / 1209600,
        1.0 / 47900160,
        -691.0 / 1307674368000.0,
        1.0 / 74724249600.0,
        -3617.0 / 10670622842880000.0
    };

    private static final int MAX_TERMS = 100_000;
    private static final double EULER = 0.5772156649015329;
    /** Of larger arguments the series have too many terms, and their factors few digits. */
    private static final double LARGE = 1e5;

    private GammaFunctions() {}

    /** Hurwitz's zeta: the sum of {@code (q + k)^-s}, by Euler's and Maclaurin's formula. */
    public static double zeta(double s, double q) {
        if (s == 1) {
            return Double.POSITIVE_INFINITY;
        }
        if (!(s > 1)) {
            return Double.NaN;
        }
        if (q <= 0) {
            return q == Math.floor(q) ? Double.POSITIVE_INFINITY : s == Math.floor(s) ? sum(s, q) : Double.NaN;
        }
        return sum(s, q);
    }

    private static double sum(double s, double q) {
        double sum = 0;
        double a = q;
        for (int k = 0; k < 20 || a < 10; k++) {
            sum += Math.pow(a, -s);
            a += 1;
        }
        sum += Math.pow(a, 1 - s) / (s - 1) + 0.5 * Math.pow(a, -s);
        double factor = s * Math.pow(a, -s - 1);
        for (int k = 0; k < BERNOULLI.length; k++) {
            sum += BERNOULLI[k] * factor;
            factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (a * a);
        }
        return sum;
    }

    /** The derivative number {@code n} of the digamma function. */
    public static double polygamma(long n, double x) {
        if (n == 0) {
            return SpecialFunctions.digamma(x);
        }
        if (n == 1 && x < 0.5) {
            // Reflection (Abramowitz and Stegun 6.4.7).
            double sine = Math.sin(Math.PI * x);
            return Math.PI * Math.PI / (sine * sine) - polygamma(1, 1 - x);
        }
        return (n % 2 == 0 ? -1 : 1) * Math.exp(SpecialFunctions.logGamma(n + 1.0)) * zeta(n + 1.0, x);
    }

    /**
     * The trigamma function with the reflection's sine in float32, which decides what is left of poles at whole
     * numbers, as in PyTorch.
     */
    public static double singleTrigamma(float x) {
        if (!(x < 0.5f)) {
            return polygamma(1, x);
        }
        float sine = (float) Math.sin((float) Math.PI * x);
        return Math.PI * Math.PI / (sine * sine) - polygamma(1, 1 - x);
    }

    /**
     * The regularised lower incomplete gamma function P(a, x), or the upper one Q = 1 - P. Formulas of Abramowitz and
     * Stegun: series (6.5.29), or for Q of small arguments (6.5.12 with 6.5.33), continued fraction (6.5.31); for large
     * a Temme's expansion (DLMF 8.12.3 to 8.12.8, first term).
     */
    public static double incomplete(double a, double x, boolean upper) {
        if (a < 0 || x < 0 || a == 0 && !(x > 0) || Double.isInfinite(a) && Double.isInfinite(x)) {
            return Double.NaN;
        }
        if (a == 0 || x == 0 || Double.isInfinite(a) || Double.isInfinite(x)) {
            // Whatever the other one is, as in PyTorch.
            boolean all = a == 0 || x != 0 && !Double.isInfinite(a);
            return all != upper ? 1 : 0;
        }
        if (Double.isNaN(a) || Double.isNaN(x)) {
            return Double.NaN;
        }
        if (a > LARGE) {
            return large(a, x, upper);
        }
        if (upper && x <= 1 && (x >= a || a < 1e-3)) {
            return smallUpper(a, x);
        }
        double front = Math.exp(a * Math.log(x) - x - SpecialFunctions.logGamma(a));
        if (x < a + 1) {
            double term = 1 / a;
            double sum = term;
            for (int k = 1; k < MAX_TERMS && term > 1e-17 * sum; k++) {
                term *= x / (a + k);
                sum += term;
            }
            double lower = Math.min(front * sum, 1);
            return upper ? 1 - lower : lower;
        }
        // Lentz's method.
        double tiny = 1e-300;
        double b = x + 1 - a;
        double c = 1 / tiny;
        double d = 1 / b;
        double h = d;
        for (int k = 1; k < MAX_TERMS; k++) {
            double n = -k * (k - a);
            b += 2;
            d = n * d + b;
            d = 1 / (Math.abs(d) < tiny ? tiny : d);
            c = b + n / c;
            c = Math.abs(c) < tiny ? tiny : c;
            h *= d * c;
            if (Math.abs(d * c - 1) < 1e-16) {
                break;
            }
        }
        double tail = front * h;
        return upper ? tail : 1 - tail;
    }

    /** Q of small a and x, which is far smaller than one. */
    private static double smallUpper(double a, double x) {
        double exponent = a * Math.log(x);
        double factor = 1;
        double sum = 0;
        for (int k = 1; k < MAX_TERMS; k++) {
            factor *= -x / k;
            double term = factor / (a + k);
            sum += term;
            if (Math.abs(term) <= 1e-17 * Math.abs(sum)) {
                break;
            }
        }
        double logGamma = a < 1e-5 ? a * (a * Math.PI * Math.PI / 12 - EULER) : SpecialFunctions.logGamma(1 + a);
        return -Math.expm1(exponent - logGamma) - a * Math.exp(exponent - logGamma) * sum;
    }

    private static double large(double a, double x, boolean upper) {
        double mu = (x - a) / a;
        double half = mu - Math.log1p(mu);
        double eta = Math.copySign(Math.sqrt(2 * Math.max(0, half)), mu);
        // Near 0, where both terms are large, their difference is told by its series.
        double difference = Math.abs(mu) < 1e-4 ? -1.0 / 3 + mu / 12 : 1 / mu - 1 / eta;
        double rest = Math.exp(-a * half) / Math.sqrt(2 * Math.PI * a) * difference;
        double tail = SpecialFunctions.erfc(Math.abs(eta) * Math.sqrt(a / 2)) / 2;
        boolean isTail = upper == eta > 0;
        double part = isTail ? tail : 1 - tail;
        return Math.max(0, Math.min(1, upper ? part + rest : part - rest));
    }
}
