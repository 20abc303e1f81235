package org.torchnnapi.operators.support;

/** Discrete Fourier transforms of any length: powers of two by Cooley and Tukey, others by Bluestein's convolution. */
public final class Fourier {
    private Fourier() {}

    /**
     * Transforms in place without scaling: {@code X[k] = sum x[n] exp(-2 pi i k n / N)}, or with the opposite sign if
     * inverse.
     *
     * @param re real parts
     * @param im imaginary parts, of equal length
     */
    public static void transform(double[] re, double[] im, boolean inverse) {
        int n = re.length;
        if (n <= 1) {
            return;
        }
        if ((n & n - 1) == 0) {
            powerOfTwo(re, im, inverse);
        } else {
            bluestein(re, im, inverse);
        }
    }

    private static void powerOfTwo(double[] re, double[] im, boolean inverse) {
        int n = re.length;
        int shift = 32 - Integer.numberOfTrailingZeros(n);
        for (int i = 0; i < n; i++) {
            int j = Integer.reverse(i) >>> shift;
            if (j > i) {
                swap(re, i, j);
                swap(im, i, j);
            }
        }
        for (int half = 1; half < n; half *= 2) {
            double angle = (inverse ? Math.PI : -Math.PI) / half;
            for (int k = 0; k < half; k++) {
                double c = Math.cos(angle * k);
                double s = Math.sin(angle * k);
                for (int i = k; i < n; i += 2 * half) {
                    int j = i + half;
                    double xr = re[j] * c - im[j] * s;
                    double xi = re[j] * s + im[j] * c;
                    re[j] = re[i] - xr;
                    im[j] = im[i] - xi;
                    re[i] += xr;
                    im[i] += xi;
                }
            }
        }
    }

    /** Writes {@code kn = (k^2 + n^2 - (k-n)^2) / 2}, which makes the transform a convolution with a chirp. */
    private static void bluestein(double[] re, double[] im, boolean inverse) {
        int n = re.length;
        int m = Integer.highestOneBit(2 * n - 1) * 2;
        double[] c = new double[n];
        double[] s = new double[n];
        for (int i = 0; i < n; i++) {
            // The square modulo 2n keeps the angle small and exact.
            double angle = Math.PI * ((long) i * i % (2L * n)) / n;
            c[i] = Math.cos(angle);
            s[i] = inverse ? Math.sin(angle) : -Math.sin(angle);
        }
        double[] ar = new double[m];
        double[] ai = new double[m];
        double[] br = new double[m];
        double[] bi = new double[m];
        for (int i = 0; i < n; i++) {
            ar[i] = re[i] * c[i] - im[i] * s[i];
            ai[i] = re[i] * s[i] + im[i] * c[i];
            br[i] = c[i];
            bi[i] = -s[i];
            if (i > 0) {
                br[m - i] = c[i];
                bi[m - i] = -s[i];
            }
        }
        powerOfTwo(ar, ai, false);
        powerOfTwo(br, bi, false);
        for (int i = 0; i < m; i++) {
            double r = ar[i] * br[i] - ai[i] * bi[i];
            ai[i] = ar[i] * bi[i] + ai[i] * br[i];
            ar[i] = r;
        }
        powerOfTwo(ar, ai, true);
        for (int i = 0; i < n; i++) {
            double r = ar[i] / m;
            double j = ai[i] / m;
            re[i] = r * c[i] - j * s[i];
            im[i] = r * s[i] + j * c[i];
        }
    }

    private static void swap(double[] a, int i, int j) {
        double t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}
