package org.torchnnapi.operators.support;

/** Functions that {@link Math} lacks, to double precision or close to it. */
public final class SpecialFunctions {
    private SpecialFunctions() {}

    /** Inverse hyperbolic sine, odd and without cancellation near 0. */
    public static double asinh(double x) {
        double a = Math.abs(x);
        double r = Double.isInfinite(a) ? a : Math.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
        return Math.copySign(r, x);
    }

    /** The error function: Maclaurin series near 0 (Abramowitz and Stegun 7.1.5), else from {@link #erfc}. */
    public static double erf(double x) {
        double a = Math.abs(x);
        if (Double.isNaN(x)) {
            return x;
        }
        if (a > 2.5) {
            return Math.copySign(1 - erfc(a), x);
        }
        double term = x;
        double sum = x;
        for (int n = 1; n < 100 && Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
            term *= -x * x / n;
            sum += term / (2 * n + 1);
        }
        return sum * 2 / Math.sqrt(Math.PI);
    }

    /** The complementary error function; a continued fraction for large arguments (Abramowitz and Stegun 7.1.14). */
    public static double erfc(double x) {
        if (x < 2) {
            return x < -6 ? 2 : x < -2 ? 2 - erfc(-x) : 1 - erf(x);
        }
        double fraction = 0;
        for (int k = 60; k >= 1; k--) {
            fraction = k / 2.0 / (x + fraction);
        }
        return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
    }

    /**
     * The inverse error function: Newton's method from Winitzki's approximation (2008), by the complement where that is
     * small.
     */
    public static double erfInverse(double x) {
        if (!(Math.abs(x) < 1)) {
            return Math.abs(x) == 1 ? Math.copySign(Double.POSITIVE_INFINITY, x) : Double.NaN;
        }
        double a = Math.abs(x);
        double logarithm = Math.log((1 - a) * (1 + a));
        double t = 2 / (Math.PI * 0.147) + logarithm / 2;
        double y = Math.sqrt(Math.sqrt(t * t - logarithm / 0.147) - t);
        for (int i = 0; i < 4; i++) {
            double excess = a < 0.5 ? erf(y) - a : 1 - a - erfc(y);
            y -= excess * Math.sqrt(Math.PI) / 2 * Math.exp(y * y);
        }
        return Math.copySign(y, x);
    }

    /**
     * The derivative of {@link #logGamma}: an asymptotic series after raising the argument (Abramowitz and Stegun
     * 6.3.18), reflection below 0.
     */
    public static double digamma(double x) {
        if (x == 0) {
            return Math.copySign(Double.POSITIVE_INFINITY, -x);
        }
        if (x < 0) {
            return x == Math.rint(x) ? Double.NaN : digamma(1 - x) - Math.PI / Math.tan(Math.PI * (x - Math.ceil(x)));
        }
        double sum = 0;
        double z = x;
        while (z < 10) {
            sum -= 1 / z;
            z++;
        }
        double i = 1 / (z * z);
        return sum
                + Math.log(z)
                - 0.5 / z
                - i
                        * (1.0 / 12
                                - i
                                        * (1.0 / 120
                                                - i
                                                        * (1.0 / 252
                                                                - i
                                                                        * (1.0 / 240
                                                                                - i
                                                                                        * (1.0 / 132
                                                                                                - i * 691.0
                                                                                                        / 32760)))));
    }

    /**
     * The modified Bessel function of order 0: its series (Abramowitz and Stegun 9.6.12), for large arguments the
     * asymptotic one (9.7.1).
     */
    public static double besselI0(double x) {
        double a = Math.abs(x);
        double sum = 1;
        double term = 1;
        if (a > 30) {
            for (int k = 1; k < 20; k++) {
                term *= (2 * k - 1.0) * (2 * k - 1) / (8 * k * a);
                sum += term;
            }
            return Math.exp(a) / Math.sqrt(2 * Math.PI * a) * sum;
        }
        for (int k = 1; k < 200 && term > 1e-18 * sum; k++) {
            term *= a / 2 / k * (a / 2 / k);
            sum += term;
        }
        return Double.isNaN(x) ? x : sum;
    }

    /**
     * log |Gamma(x)|: Stirling's series after raising the argument (Abramowitz and Stegun 6.1.41), reflection below
     * 0.5.
     */
    public static double logGamma(double x) {
        if (Double.isNaN(x) || Double.isInfinite(x)) {
            return Double.isNaN(x) ? x : Double.POSITIVE_INFINITY;
        }
        if (x == 1 || x == 2) {
            return 0;
        }
        if (x < 0.5) {
            double sine = Math.sin(Math.PI * x);
            return x == Math.rint(x) ? Double.POSITIVE_INFINITY : Math.log(Math.PI / Math.abs(sine)) - logGamma(1 - x);
        }
        double product = 1;
        double z = x;
        while (z < 10) {
            product *= z;
            z++;
        }
        double i = 1 / (z * z);
        double series = (1.0 / 12 - i * (1.0 / 360 - i * (1.0 / 1260 - i * (1.0 / 1680 - i / 1188)))) / z;
        return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
    }
}
