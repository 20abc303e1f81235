package org.torchnnapi.operators.support;

import java.util.Arrays;

/**
 * Triangular and orthogonal factors of matrices and what is solved with them, in the form and with the signs of LAPACK.
 */
public final class Factorizations {
    private Factorizations() {}

    /**
     * Makes a matrix its L (below the diagonal, which is 1) and U, exchanging rows.
     *
     * @param pivots receives 1-based rows that were exchanged, one for each step
     * @return 0, or the 1-based step where the pivot was zero
     */
    public static int lu(Matrix a, int[] pivots, boolean exchange) {
        int info = 0;
        for (int k = 0; k < Math.min(a.rows, a.columns); k++) {
            int pivot = k;
            for (int row = k + 1; exchange && row < a.rows; row++) {
                pivot = a.size(row, k) > a.size(pivot, k) ? row : pivot;
            }
            pivots[k] = pivot + 1;
            if (a.size(pivot, k) == 0) {
                info = info == 0 ? k + 1 : info;
                continue;
            }
            a.exchangeRows(k, pivot);
            for (int row = k + 1; row < a.rows; row++) {
                a.divide(row, k, a.re[a.at(k, k)], a.im[a.at(k, k)]);
                a.subtractRow(row, k, k + 1, a.re[a.at(row, k)], a.im[a.at(row, k)]);
            }
        }
        return info;
    }

    /**
     * The lower Cholesky factor of a Hermitian matrix, of which the lower triangle is read.
     *
     * @return 0, or the 1-based order of the leading part that is not positive definite
     */
    public static int cholesky(Matrix a) {
        int n = a.rows;
        for (int k = 0; k < n; k++) {
            double diagonal = a.re[a.at(k, k)];
            for (int j = 0; j < k; j++) {
                diagonal -= square(a, k, j);
            }
            if (!(diagonal > 0)) {
                return k + 1;
            }
            double root = Math.sqrt(diagonal);
            a.set(k, k, root, 0);
            for (int row = k + 1; row < n; row++) {
                double x = a.re[a.at(row, k)];
                double y = a.im[a.at(row, k)];
                for (int j = 0; j < k; j++) {
                    double p = a.re[a.at(row, j)];
                    double q = a.im[a.at(row, j)];
                    double u = a.re[a.at(k, j)];
                    double v = -a.im[a.at(k, j)];
                    x -= p * u - q * v;
                    y -= p * v + q * u;
                }
                a.set(row, k, x / root, y / root);
            }
            for (int column = k + 1; column < n; column++) {
                a.set(k, column, 0, 0);
            }
        }
        return 0;
    }

    private static double square(Matrix a, int row, int column) {
        double x = a.re[a.at(row, column)];
        double y = a.im[a.at(row, column)];
        return x * x + y * y;
    }

    /** Makes a matrix R and, below its diagonal, the vectors of reflections; their factors {@code tau} as a column. */
    public static Matrix householder(Matrix a) {
        int steps = Math.min(a.rows, a.columns);
        Matrix tau = new Matrix(steps, 1);
        for (int k = 0; k < steps; k++) {
            double alphaRe = a.re[a.at(k, k)];
            double alphaIm = a.im[a.at(k, k)];
            double rest = 0;
            for (int row = k + 1; row < a.rows; row++) {
                rest += square(a, row, k);
            }
            if (rest == 0 && alphaIm == 0) {
                continue;
            }
            double beta = -Math.copySign(Math.sqrt(alphaRe * alphaRe + alphaIm * alphaIm + rest), alphaRe);
            tau.set(k, 0, (beta - alphaRe) / beta, -alphaIm / beta);
            for (int row = k + 1; row < a.rows; row++) {
                a.divide(row, k, alphaRe - beta, alphaIm);
            }
            a.set(k, k, beta, 0);
            // From the left by the adjoint of the reflection.
            reflect(a, k, a, k, k + 1, tau.re[k], -tau.im[k]);
        }
        return tau;
    }

    /**
     * Multiplies the columns of {@code target} from one on by {@code I - tau v v'}, v being column k of {@code vectors}
     * from row k, where it is 1.
     */
    private static void reflect(Matrix vectors, int k, Matrix target, int row, int from, double tauRe, double tauIm) {
        for (int c = from; c < target.columns; c++) {
            double x = target.re[target.at(row, c)];
            double y = target.im[target.at(row, c)];
            for (int i = 1; k + i < vectors.rows; i++) {
                double u = vectors.re[vectors.at(k + i, k)];
                double v = -vectors.im[vectors.at(k + i, k)];
                double p = target.re[target.at(row + i, c)];
                double q = target.im[target.at(row + i, c)];
                x += u * p - v * q;
                y += u * q + v * p;
            }
            double s = tauRe * x - tauIm * y;
            double t = tauRe * y + tauIm * x;
            target.re[target.at(row, c)] -= s;
            target.im[target.at(row, c)] -= t;
            for (int i = 1; k + i < vectors.rows; i++) {
                double u = vectors.re[vectors.at(k + i, k)];
                double v = vectors.im[vectors.at(k + i, k)];
                target.re[target.at(row + i, c)] -= u * s - v * t;
                target.im[target.at(row + i, c)] -= u * t + v * s;
            }
        }
    }

    /** Multiplies a matrix from the left by the product of reflections, or by its adjoint. */
    public static void applyReflections(Matrix vectors, Matrix tau, Matrix target, boolean adjoint) {
        for (int i = 0; i < tau.rows; i++) {
            int k = adjoint ? i : tau.rows - 1 - i;
            reflect(vectors, k, target, k, 0, tau.re[k], adjoint ? -tau.im[k] : tau.im[k]);
        }
    }

    /** Q of QR, with that many columns. */
    public static Matrix q(Matrix vectors, Matrix tau, int columns) {
        Matrix q = new Matrix(vectors.rows, columns);
        for (int i = 0; i < Math.min(q.rows, q.columns); i++) {
            q.set(i, i, 1, 0);
        }
        applyReflections(vectors, tau, q, false);
        return q;
    }

    /** Solves a triangular system in place; only one triangle of {@code a} is read. */
    public static void solveTriangular(Matrix a, Matrix b, boolean upper, boolean unit) {
        int n = a.rows;
        for (int i = 0; i < n; i++) {
            int row = upper ? n - 1 - i : i;
            for (int k = upper ? row + 1 : 0; k < (upper ? n : row); k++) {
                b.subtractRow(row, k, 0, a.re[a.at(row, k)], a.im[a.at(row, k)]);
            }
            for (int c = 0; !unit && c < b.columns; c++) {
                b.divide(row, c, a.re[a.at(row, row)], a.im[a.at(row, row)]);
            }
        }
    }

    /** Solves with the factors of {@link #lu}, in place. */
    public static void solveLu(Matrix lu, int[] pivots, Matrix b) {
        for (int k = 0; k < lu.rows; k++) {
            b.exchangeRows(k, pivots[k] - 1);
        }
        solveTriangular(lu, b, false, true);
        solveTriangular(lu, b, true, false);
    }

    /**
     * The rows that exchanges leave where: row {@code i} of the factors' product is row {@code order[i]} of the matrix.
     */
    public static int[] order(int[] pivots, int rows) {
        int[] order = new int[rows];
        Arrays.setAll(order, i -> i);
        for (int k = 0; k < pivots.length; k++) {
            int held = order[k];
            order[k] = order[pivots[k] - 1];
            order[pivots[k] - 1] = held;
        }
        return order;
    }

    /** The matrix exponential: Taylor's series of a matrix halved until it is small, then squared as often. */
    public static Matrix exponential(Matrix a) {
        double norm = a.norm1();
        if (Double.isNaN(norm) || Double.isInfinite(norm)) {
            Matrix undefined = a.copy();
            Arrays.fill(undefined.re, Double.NaN);
            return undefined;
        }
        int halvings = norm > 0.25 ? (int) Math.ceil(Math.log(norm / 0.25) / Math.log(2)) : 0;
        Matrix small = a.scaled(Math.pow(2, -halvings));
        Matrix sum = Matrix.identity(a.rows);
        Matrix term = sum;
        for (int k = 1; k <= 16; k++) {
            term = term.times(small).scaled(1.0 / k);
            sum = sum.plus(term);
        }
        for (int k = 0; k < halvings; k++) {
            sum = sum.times(sum);
        }
        return sum;
    }
}
