package org.torchnnapi.operators.support;

import java.util.Arrays;

/** Eigenvalues and singular values of matrices, with their vectors. */
public final class Eigenvalues {
    private static final int MAX_SWEEPS = 100;
    private static final double PRECISION = 1e-15;

    private Eigenvalues() {}

    /**
     * Eigenvalues of a Hermitian matrix in ascending order: Jacobi's rotations.
     *
     * @param a becomes diagonal
     * @param vectors receives eigenvectors as columns, of length 1
     */
    public static double[] hermitian(Matrix a, Matrix vectors) {
        int n = a.rows;
        Matrix v = Matrix.identity(n);
        for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
            double off = 0;
            double all = 0;
            for (int p = 0; p < n; p++) {
                for (int q = 0; q < n; q++) {
                    all += a.absolute(p, q) * a.absolute(p, q);
                    off += p == q ? 0 : a.absolute(p, q) * a.absolute(p, q);
                }
            }
            if (!(off > 1e-32 * all)) {
                break;
            }
            for (int p = 0; p < n - 1; p++) {
                for (int q = p + 1; q < n; q++) {
                    rotate(a, v, p, q);
                }
            }
        }
        Integer[] order = new Integer[n];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (i, k) -> Double.compare(a.re[a.at(i, i)], a.re[a.at(k, k)]));
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            values[i] = a.re[a.at(order[i], order[i])];
            for (int row = 0; row < n; row++) {
                vectors.set(row, i, v.re[v.at(row, order[i])], v.im[v.at(row, order[i])]);
            }
        }
        return values;
    }

    /** Makes the elements p, q and q, p zero. */
    private static void rotate(Matrix a, Matrix v, int p, int q) {
        double size = a.absolute(p, q);
        if (size == 0) {
            return;
        }
        double phaseRe = a.re[a.at(p, q)] / size;
        double phaseIm = a.im[a.at(p, q)] / size;
        double theta = (a.re[a.at(q, q)] - a.re[a.at(p, p)]) / (2 * size);
        double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        double c = 1 / Math.sqrt(t * t + 1);
        double s = t * c;
        columns(a, p, q, c, s, phaseRe, phaseIm);
        columns(v, p, q, c, s, phaseRe, phaseIm);
        // The rows by the adjoint of the same rotation.
        for (int k = 0; k < a.columns; k++) {
            double x = a.re[a.at(p, k)];
            double y = a.im[a.at(p, k)];
            double z = a.re[a.at(q, k)];
            double w = a.im[a.at(q, k)];
            double turnedRe = phaseRe * z - phaseIm * w;
            double turnedIm = phaseRe * w + phaseIm * z;
            a.set(p, k, c * x - s * turnedRe, c * y - s * turnedIm);
            double backRe = phaseRe * x + phaseIm * y;
            double backIm = phaseRe * y - phaseIm * x;
            a.set(q, k, s * backRe + c * z, s * backIm + c * w);
        }
        a.set(p, q, 0, 0);
        a.set(q, p, 0, 0);
    }

    /** Columns p and q become c p - s phase' q and s phase p + c q. */
    private static void columns(Matrix m, int p, int q, double c, double s, double phaseRe, double phaseIm) {
        for (int k = 0; k < m.rows; k++) {
            double x = m.re[m.at(k, p)];
            double y = m.im[m.at(k, p)];
            double z = m.re[m.at(k, q)];
            double w = m.im[m.at(k, q)];
            double turnedRe = phaseRe * z + phaseIm * w;
            double turnedIm = phaseRe * w - phaseIm * z;
            m.set(k, p, c * x - s * turnedRe, c * y - s * turnedIm);
            double backRe = phaseRe * x - phaseIm * y;
            double backIm = phaseRe * y + phaseIm * x;
            m.set(k, q, s * backRe + c * z, s * backIm + c * w);
        }
    }

    /** {@code u * diag(values) * vh}, values descending, with as many as the smaller side has. */
    public record Singular(Matrix u, double[] values, Matrix vh) {}

    /** Singular values: Jacobi's rotations from one side. */
    public static Singular singular(Matrix a) {
        if (a.rows < a.columns) {
            Singular turned = singular(a.adjoint());
            return new Singular(
                    turned.vh().adjoint(), turned.values(), turned.u().adjoint());
        }
        int n = a.columns;
        Matrix w = a.copy();
        Matrix v = Matrix.identity(n);
        boolean moved = true;
        for (int sweep = 0; moved && sweep < MAX_SWEEPS; sweep++) {
            moved = false;
            for (int p = 0; p < n - 1; p++) {
                for (int q = p + 1; q < n; q++) {
                    moved |= separate(w, v, p, q);
                }
            }
        }
        double[] sizes = new double[n];
        for (int c = 0; c < n; c++) {
            for (int r = 0; r < w.rows; r++) {
                sizes[c] = Math.hypot(sizes[c], w.absolute(r, c));
            }
        }
        Integer[] order = new Integer[n];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (i, k) -> Double.compare(sizes[k], sizes[i]));
        Matrix u = new Matrix(w.rows, n);
        Matrix right = new Matrix(n, n);
        double[] values = new double[n];
        for (int c = 0; c < n; c++) {
            int from = order[c];
            values[c] = sizes[from];
            for (int r = 0; r < w.rows; r++) {
                double size = values[c] == 0 ? 1 : values[c];
                u.set(r, c, w.re[w.at(r, from)] / size, w.im[w.at(r, from)] / size);
            }
            for (int r = 0; r < n; r++) {
                right.set(r, c, v.re[v.at(r, from)], v.im[v.at(r, from)]);
            }
        }
        complete(u, values);
        return new Singular(u, values, right.adjoint());
    }

    /** Makes two columns orthogonal. */
    private static boolean separate(Matrix w, Matrix v, int p, int q) {
        double alpha = 0;
        double beta = 0;
        double gammaRe = 0;
        double gammaIm = 0;
        for (int r = 0; r < w.rows; r++) {
            double x = w.re[w.at(r, p)];
            double y = w.im[w.at(r, p)];
            double z = w.re[w.at(r, q)];
            double t = w.im[w.at(r, q)];
            alpha += x * x + y * y;
            beta += z * z + t * t;
            gammaRe += x * z + y * t;
            gammaIm += x * t - y * z;
        }
        double gamma = Math.hypot(gammaRe, gammaIm);
        if (!(gamma > PRECISION * Math.sqrt(alpha * beta)) || gamma == 0) {
            return false;
        }
        double zeta = (beta - alpha) / (2 * gamma);
        double t = Math.copySign(1, zeta) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
        double c = 1 / Math.sqrt(1 + t * t);
        columns(w, p, q, c, c * t, gammaRe / gamma, gammaIm / gamma);
        columns(v, p, q, c, c * t, gammaRe / gamma, gammaIm / gamma);
        return true;
    }

    /** Columns of singular values that are zero become orthogonal to the others. */
    private static void complete(Matrix u, double[] values) {
        for (int c = 0; c < u.columns; c++) {
            if (values[c] > 0) {
                continue;
            }
            for (int unit = 0; unit < u.rows; unit++) {
                for (int r = 0; r < u.rows; r++) {
                    u.set(r, c, r == unit ? 1 : 0, 0);
                }
                if (orthogonalize(u, c)) {
                    break;
                }
            }
        }
    }

    /** Makes a column orthogonal to those before it; false if nothing is left. */
    static boolean orthogonalize(Matrix u, int column) {
        for (int pass = 0; pass < 2; pass++) {
            for (int c = 0; c < column; c++) {
                double dotRe = 0;
                double dotIm = 0;
                for (int r = 0; r < u.rows; r++) {
                    dotRe += u.re[u.at(r, c)] * u.re[u.at(r, column)] + u.im[u.at(r, c)] * u.im[u.at(r, column)];
                    dotIm += u.re[u.at(r, c)] * u.im[u.at(r, column)] - u.im[u.at(r, c)] * u.re[u.at(r, column)];
                }
                for (int r = 0; r < u.rows; r++) {
                    u.re[u.at(r, column)] -= dotRe * u.re[u.at(r, c)] - dotIm * u.im[u.at(r, c)];
                    u.im[u.at(r, column)] -= dotRe * u.im[u.at(r, c)] + dotIm * u.re[u.at(r, c)];
                }
            }
        }
        double size = 0;
        for (int r = 0; r < u.rows; r++) {
            size = Math.hypot(size, u.absolute(r, column));
        }
        for (int r = 0; r < u.rows; r++) {
            u.re[u.at(r, column)] /= size;
            u.im[u.at(r, column)] /= size;
        }
        return size > 1e-8;
    }

    /** A matrix with further columns, orthogonal to those it has. */
    public static Matrix extended(Matrix u, int columns) {
        Matrix wide = new Matrix(u.rows, columns);
        for (int r = 0; r < u.rows; r++) {
            for (int c = 0; c < u.columns; c++) {
                wide.set(r, c, u.re[u.at(r, c)], u.im[u.at(r, c)]);
            }
        }
        int unit = 0;
        for (int c = u.columns; c < columns; c++) {
            do {
                for (int r = 0; r < u.rows; r++) {
                    wide.set(r, c, r == unit ? 1 : 0, 0);
                }
                unit++;
            } while (!orthogonalize(wide, c) && unit < u.rows);
        }
        return wide;
    }

    /**
     * Eigenvalues of any square matrix, by the shifted QR algorithm on its Hessenberg form.
     *
     * @param a becomes upper triangular with the eigenvalues on its diagonal
     * @return the unitary matrix of Schur's form: the matrix was {@code q * a * q'}
     */
    public static Matrix schur(Matrix a) {
        int n = a.rows;
        Matrix q = Matrix.identity(n);
        for (int k = 0; k < n - 2; k++) {
            for (int row = n - 1; row > k + 1; row--) {
                eliminate(a, q, row - 1, row, k);
            }
        }
        int end = n - 1;
        int turns = 0;
        while (end > 0) {
            int start = end;
            while (start > 0
                    && a.size(start, start - 1)
                            > PRECISION / 4 * (a.size(start, start) + a.size(start - 1, start - 1))) {
                start--;
            }
            if (start > 0) {
                a.set(start, start - 1, 0, 0);
            }
            if (start == end) {
                end--;
                turns = 0;
                continue;
            }
            if (++turns > 300) {
                throw new IllegalStateException(
                        "linalg.eig: the algorithm failed to converge (expected: finite elements)");
            }
            step(a, q, start, end, turns % 11 == 10);
        }
        return q;
    }

    /** A rotation of rows p and q, and of the columns back, that makes the element of row q and a column zero. */
    private static void eliminate(Matrix a, Matrix v, int p, int q, int column) {
        double[] r = rotation(a, p, q, column);
        if (r != null) {
            rows(a, p, q, r, 0);
            back(a, p, q, r, a.rows);
            back(v, p, q, r, v.rows);
            a.set(q, column, 0, 0);
        }
    }

    /** Cosine and complex sine; null where there is nothing to do. */
    private static double[] rotation(Matrix a, int p, int q, int column) {
        double x = a.absolute(p, column);
        double y = a.absolute(q, column);
        if (y == 0) {
            return null;
        }
        double size = Math.hypot(x, y);
        double fRe = x == 0 ? 1 : a.re[a.at(p, column)] / x;
        double fIm = x == 0 ? 0 : a.im[a.at(p, column)] / x;
        double gRe = a.re[a.at(q, column)];
        double gIm = -a.im[a.at(q, column)];
        return new double[] {x / size, (fRe * gRe - fIm * gIm) / size, (fRe * gIm + fIm * gRe) / size};
    }

    /** Rows p and q become c p + s q and -s' p + c q. */
    private static void rows(Matrix a, int p, int q, double[] r, int from) {
        for (int k = from; k < a.columns; k++) {
            double x = a.re[a.at(p, k)];
            double y = a.im[a.at(p, k)];
            double z = a.re[a.at(q, k)];
            double w = a.im[a.at(q, k)];
            a.set(p, k, r[0] * x + r[1] * z - r[2] * w, r[0] * y + r[1] * w + r[2] * z);
            a.set(q, k, r[0] * z - r[1] * x - r[2] * y, r[0] * w - r[1] * y + r[2] * x);
        }
    }

    /** Columns by the adjoint: p becomes c p + s' q, q becomes -s p + c q. */
    private static void back(Matrix a, int p, int q, double[] r, int until) {
        for (int k = 0; k < until; k++) {
            double x = a.re[a.at(k, p)];
            double y = a.im[a.at(k, p)];
            double z = a.re[a.at(k, q)];
            double w = a.im[a.at(k, q)];
            a.set(k, p, r[0] * x + r[1] * z + r[2] * w, r[0] * y + r[1] * w - r[2] * z);
            a.set(k, q, r[0] * z - r[1] * x + r[2] * y, r[0] * w - r[1] * y - r[2] * x);
        }
    }

    private static void step(Matrix a, Matrix v, int start, int end, boolean exceptional) {
        double[] shift = exceptional
                ? new double[] {a.re[a.at(end, end)] + a.size(end, end - 1), a.im[a.at(end, end)]}
                : wilkinson(a, end);
        for (int i = start; i <= end; i++) {
            a.re[a.at(i, i)] -= shift[0];
            a.im[a.at(i, i)] -= shift[1];
        }
        double[][] rotations = new double[end - start][];
        for (int k = start; k < end; k++) {
            double[] r = rotation(a, k, k + 1, k);
            rotations[k - start] = r;
            if (r != null) {
                rows(a, k, k + 1, r, 0);
            }
        }
        for (int k = start; k < end; k++) {
            double[] r = rotations[k - start];
            if (r != null) {
                back(a, k, k + 1, r, a.rows);
                back(v, k, k + 1, r, v.rows);
            }
        }
        for (int i = start; i <= end; i++) {
            a.re[a.at(i, i)] += shift[0];
            a.im[a.at(i, i)] += shift[1];
        }
    }

    /** The eigenvalue of the last two rows' square that is nearer to the last element. */
    private static double[] wilkinson(Matrix a, int end) {
        double[] p = {a.re[a.at(end - 1, end - 1)], a.im[a.at(end - 1, end - 1)]};
        double[] s = {a.re[a.at(end, end)], a.im[a.at(end, end)]};
        double[] halfDifference = {(p[0] - s[0]) / 2, (p[1] - s[1]) / 2};
        double[] product = times(new double[] {a.re[a.at(end - 1, end)], a.im[a.at(end - 1, end)]}, new double[] {
            a.re[a.at(end, end - 1)], a.im[a.at(end, end - 1)]
        });
        double[] squared = times(halfDifference, halfDifference);
        double[] root = root(squared[0] + product[0], squared[1] + product[1]);
        double sign = halfDifference[0] * root[0] + halfDifference[1] * root[1] > 0 ? -1 : 1;
        return new double[] {s[0] + halfDifference[0] + sign * root[0], s[1] + halfDifference[1] + sign * root[1]};
    }

    private static double[] times(double[] a, double[] b) {
        return new double[] {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
    }

    private static double[] root(double re, double im) {
        double size = Math.hypot(re, im);
        double real = Math.sqrt(Math.max((size + re) / 2, 0));
        double imaginary = Math.sqrt(Math.max((size - re) / 2, 0));
        return new double[] {real, im < 0 ? -imaginary : imaginary};
    }

    /** Eigenvectors as columns of length 1, of the form that {@link #schur} leaves. */
    public static Matrix vectors(Matrix triangular, Matrix q) {
        int n = triangular.rows;
        Matrix x = new Matrix(n, n);
        for (int k = 0; k < n; k++) {
            x.set(k, k, 1, 0);
            double valueRe = triangular.re[triangular.at(k, k)];
            double valueIm = triangular.im[triangular.at(k, k)];
            for (int i = k - 1; i >= 0; i--) {
                double sumRe = 0;
                double sumIm = 0;
                for (int j = i + 1; j <= k; j++) {
                    double a = triangular.re[triangular.at(i, j)];
                    double b = triangular.im[triangular.at(i, j)];
                    sumRe -= a * x.re[x.at(j, k)] - b * x.im[x.at(j, k)];
                    sumIm -= a * x.im[x.at(j, k)] + b * x.re[x.at(j, k)];
                }
                double a = triangular.re[triangular.at(i, i)] - valueRe;
                double b = triangular.im[triangular.at(i, i)] - valueIm;
                double least = 1e-300 + PRECISION * Math.hypot(valueRe, valueIm);
                x.set(i, k, sumRe, sumIm);
                x.divide(i, k, Math.hypot(a, b) < least ? least : a, b);
            }
        }
        Matrix vectors = q.times(x);
        for (int c = 0; c < n; c++) {
            double size = 0;
            for (int r = 0; r < n; r++) {
                size = Math.hypot(size, vectors.absolute(r, c));
            }
            for (int r = 0; r < n; r++) {
                vectors.re[vectors.at(r, c)] /= size;
                vectors.im[vectors.at(r, c)] /= size;
            }
        }
        return vectors;
    }
}
