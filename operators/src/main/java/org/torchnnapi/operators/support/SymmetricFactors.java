package org.torchnnapi.operators.support;

/**
 * L D L' of symmetric matrices of reals by Bunch's and Kaufman's method (Golub and Van Loan, Matrix Computations, 4.4), laid out as LAPACK does:
 * the lower triangle holds L and the blocks of D, pivots are 1-based, and a block of two has them negative.
 */
public final class SymmetricFactors {
    private static final double ALPHA = (1 + Math.sqrt(17)) / 8;

    private SymmetricFactors() {
    }

    /** Factors in place; only the lower triangle is read. @return 0, or the 1-based place of a block of D that is zero */
    public static int factor(double[] a, int n, int[] pivots) {
        int info = 0;
        int k = 0;
        while (k < n) {
            int largest = largestBelow(a, n, k);
            double below = largest < 0 ? 0 : Math.abs(a[largest * n + k]);
            double diagonal = Math.abs(a[k * n + k]);
            int pivot = k;
            boolean two = false;
            if (Math.max(diagonal, below) == 0) {
                info = info == 0 ? k + 1 : info;
                pivots[k] = k + 1;
                k++;
                continue;
            }
            if (diagonal < ALPHA * below) {
                double row = largestBeside(a, n, k, largest);
                if (diagonal < ALPHA * below * (below / row)) {
                    pivot = largest;
                    two = Math.abs(a[largest * n + largest]) < ALPHA * row;
                }
            }
            int last = two ? k + 1 : k;
            if (pivot != last) {
                exchange(a, n, k, last, pivot);
            }
            if (two) {
                updateByTwo(a, n, k);
                pivots[k] = -(pivot + 1);
                pivots[k + 1] = -(pivot + 1);
            } else {
                updateByOne(a, n, k);
                pivots[k] = pivot + 1;
            }
            k = last + 1;
        }
        return info;
    }

    private static int largestBelow(double[] a, int n, int k) {
        int largest = -1;
        for (int i = k + 1; i < n; i++) {
            largest = largest < 0 || Math.abs(a[i * n + k]) > Math.abs(a[largest * n + k]) ? i : largest;
        }
        return largest;
    }

    private static double largestBeside(double[] a, int n, int k, int row) {
        double largest = 0;
        for (int c = k; c < row; c++) {
            largest = Math.max(largest, Math.abs(a[row * n + c]));
        }
        for (int i = row + 1; i < n; i++) {
            largest = Math.max(largest, Math.abs(a[i * n + row]));
        }
        return largest;
    }

    private static void exchange(double[] a, int n, int k, int p, int q) {
        for (int i = q + 1; i < n; i++) {
            swap(a, i * n + p, i * n + q);
        }
        for (int i = p + 1; i < q; i++) {
            swap(a, i * n + p, q * n + i);
        }
        swap(a, p * n + p, q * n + q);
        if (p > k) {
            swap(a, p * n + k, q * n + k);
        }
    }

    private static void swap(double[] a, int i, int j) {
        double held = a[i];
        a[i] = a[j];
        a[j] = held;
    }

    private static void updateByOne(double[] a, int n, int k) {
        double inverse = 1 / a[k * n + k];
        for (int j = k + 1; j < n; j++) {
            for (int i = j; i < n; i++) {
                a[i * n + j] -= inverse * a[i * n + k] * a[j * n + k];
            }
        }
        for (int i = k + 1; i < n; i++) {
            a[i * n + k] *= inverse;
        }
    }

    private static void updateByTwo(double[] a, int n, int k) {
        double off = a[(k + 1) * n + k];
        double first = a[(k + 1) * n + k + 1] / off;
        double second = a[k * n + k] / off;
        double scale = 1 / (first * second - 1) / off;
        for (int j = k + 2; j < n; j++) {
            double x = scale * (first * a[j * n + k] - a[j * n + k + 1]);
            double y = scale * (second * a[j * n + k + 1] - a[j * n + k]);
            for (int i = j; i < n; i++) {
                a[i * n + j] -= a[i * n + k] * x + a[i * n + k + 1] * y;
            }
            a[j * n + k] = x;
            a[j * n + k + 1] = y;
        }
    }

    /** Solves with the factors, in place. */
    public static void solve(double[] a, int n, int[] pivots, double[] b, int columns) {
        for (int k = 0; k < n;) {
            boolean two = pivots[k] < 0;
            int last = two ? k + 1 : k;
            exchangeRows(b, columns, last, Math.abs(pivots[k]) - 1);
            for (int from = k; from <= last; from++) {
                for (int i = last + 1; i < n; i++) {
                    subtract(b, columns, i, from, a[i * n + from]);
                }
            }
            for (int c = 0; c < columns; c++) {
                if (two) {
                    double off = a[last * n + k];
                    double p = a[k * n + k] / off;
                    double q = a[last * n + last] / off;
                    double x = b[k * columns + c] / off;
                    double y = b[last * columns + c] / off;
                    b[k * columns + c] = (q * x - y) / (p * q - 1);
                    b[last * columns + c] = (p * y - x) / (p * q - 1);
                } else {
                    b[k * columns + c] /= a[k * n + k];
                }
            }
            k = last + 1;
        }
        for (int k = n - 1; k >= 0;) {
            int first = pivots[k] < 0 ? k - 1 : k;
            for (int row = k; row >= first; row--) {
                for (int i = k + 1; i < n; i++) {
                    subtract(b, columns, row, i, a[i * n + row]);
                }
            }
            exchangeRows(b, columns, k, Math.abs(pivots[k]) - 1);
            k = first - 1;
        }
    }

    private static void subtract(double[] b, int columns, int row, int other, double factor) {
        for (int c = 0; c < columns; c++) {
            b[row * columns + c] -= factor * b[other * columns + c];
        }
    }

    private static void exchangeRows(double[] b, int columns, int p, int q) {
        for (int c = 0; p != q && c < columns; c++) {
            swap(b, p * columns + c, q * columns + c);
        }
    }
}
