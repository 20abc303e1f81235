package org.torchnnapi.operators.builtin;

/** Gamma and error functions in double precision. */
final class GammaAndErrorFunctions {
    /** Lanczos coefficients for g = 7, n = 9 (Godfrey). */
    private static final double[] LANCZOS = {
        0.99999999999980993,
        676.5203681218851,
        -1259.1392167224028,
        771.32342877765313,
        -176.61502916214059,
        12.507343278686905,
        -0.13857109526572012,
        9.9843695780195716e-6,
        1.5056327351493116e-7
    };

    private GammaAndErrorFunctions() {}

    static double gamma(double x) {
        if (x < 0.5) {
            return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
        }
        double t = x + 6.5;
        return Math.sqrt(2 * Math.PI) * Math.pow(t, x - 0.5) * Math.exp(-t) * lanczos(x - 1);
    }

    static double lgamma(double x) {
        if (x < 0.5) {
            return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - lgamma(1 - x);
        }
        double t = x + 6.5;
        return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(lanczos(x - 1));
    }

    private static double lanczos(double x) {
        double sum = LANCZOS[0];
        for (int i = 1; i < LANCZOS.length; i++) {
            sum += LANCZOS[i] / (x + i);
        }
        return sum;
    }

    /** Abramowitz and Stegun 7.1.6 near zero, the continued fraction 7.1.14 further out. */
    static double erf(double x) {
        double a = Math.abs(x);
        return a < 2.5 ? Math.copySign(series(a), x) : Math.copySign(1 - tail(a), x);
    }

    static double erfc(double x) {
        return x < 0 ? 2 - erfc(-x) : x < 2.5 ? 1 - series(x) : tail(x);
    }

    private static double series(double x) {
        double term = x;
        double sum = x;
        for (int n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; n++) {
            term *= 2 * x * x / (2 * n + 1);
            sum += term;
        }
        return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
    }

    private static double tail(double x) {
        if (x > 27) {
            return 0;
        }
        double fraction = x;
        for (int n = 120; n >= 1; n--) {
            fraction = x + n / 2.0 / fraction;
        }
        return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
    }
}
