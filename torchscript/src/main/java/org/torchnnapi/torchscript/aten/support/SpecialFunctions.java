package org.torchnnapi.torchscript.aten.support;

/** Functions that {@link Math} lacks, to double precision or close to it. */
public final class SpecialFunctions {
    private SpecialFunctions() {
    }

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

    /** log |Gamma(x)|: Stirling's series after raising the argument (Abramowitz and Stegun 6.1.41), reflection below 0.5. */
    public static double logGamma(double x) {
        if (Double.isNaN(x) || Double.isInfinite(x)) {
            return Double.isNaN(x) ? x : Double.POSITIVE_INFINITY;
        }
        if (x < 0.5) {
            double sine = Math.sin(Math.PI * x);
            return sine == 0 ? Double.POSITIVE_INFINITY : Math.log(Math.PI / Math.abs(sine)) - logGamma(1 - x);
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
