package org.torchnnapi.operators.support;

/**
 * L D L' of symmetric or Hermitian matrices by Bunch's and Kaufman's method (Golub and Van Loan, Matrix Computations,
 * 4.4), laid out as LAPACK does: the lower triangle holds L and the blocks of D, pivots are 1-based, and a block of two
 * has them negative. Of a Hermitian matrix L' is the adjoint of L.
 */
public final class SymmetricFactors {
    private static final double ALPHA = (1 + Math.sqrt(17)) / 8;

    private final Matrix a;
    private final int n;
    private final boolean hermitian;

    /** A complex number. */
    private record Coefficient(double re, double im) {
        Coefficient plus(Coefficient other) {
            return new Coefficient(re + other.re, im + other.im);
        }

        Coefficient minus(Coefficient other) {
            return new Coefficient(re - other.re, im - other.im);
        }

        Coefficient times(Coefficient other) {
            return new Coefficient(re * other.re - im * other.im, re * other.im + im * other.re);
        }

        Coefficient over(Coefficient other) {
            if (other.im == 0) {
                return new Coefficient(re / other.re, im / other.re);
            }
            double norm = other.re * other.re + other.im * other.im;
            return new Coefficient((re * other.re + im * other.im) / norm, (im * other.re - re * other.im) / norm);
        }

        Coefficient conjugate() {
            return new Coefficient(re, -im);
        }
    }

    private SymmetricFactors(Matrix a, boolean hermitian) {
        this.a = a;
        this.n = a.rows;
        this.hermitian = hermitian;
    }

    /**
     * Factors in place; only the lower triangle is read.
     *
     * @param hermitian whether what lies above the diagonal is the conjugate of what lies below
     * @return 0, or the 1-based place of a block of D that is zero
     */
    public static int factor(Matrix a, boolean hermitian, int[] pivots) {
        return new SymmetricFactors(a, hermitian).factor(pivots);
    }

    /** Solves with the factors, in place. */
    public static void solve(Matrix a, boolean hermitian, int[] pivots, Matrix b) {
        new SymmetricFactors(a, hermitian).solve(pivots, b);
    }

    private Coefficient get(int row, int column) {
        return new Coefficient(a.re[row * n + column], a.im[row * n + column]);
    }

    private static void set(Matrix m, int row, int column, Coefficient value) {
        m.set(row, column, value.re, value.im);
    }

    /** What stands on the other side of the diagonal. */
    private Coefficient mirrored(Coefficient value) {
        return hermitian ? value.conjugate() : value;
    }

    private int factor(int[] pivots) {
        if (hermitian) {
            for (int k = 0; k < n; k++) {
                a.im[k * n + k] = 0;
            }
        }
        int info = 0;
        int k = 0;
        while (k < n) {
            int largest = largestBelow(k);
            double below = largest < 0 ? 0 : a.size(largest, k);
            double diagonal = a.size(k, k);
            int pivot = k;
            boolean two = false;
            if (Math.max(diagonal, below) == 0) {
                info = info == 0 ? k + 1 : info;
                pivots[k] = k + 1;
                k++;
                continue;
            }
            if (diagonal < ALPHA * below) {
                double row = largestBeside(k, largest);
                if (diagonal < ALPHA * below * (below / row)) {
                    pivot = largest;
                    two = a.size(largest, largest) < ALPHA * row;
                }
            }
            int last = two ? k + 1 : k;
            if (pivot != last) {
                exchange(k, last, pivot);
            }
            if (two) {
                updateByTwo(k);
                pivots[k] = -(pivot + 1);
                pivots[k + 1] = -(pivot + 1);
            } else {
                updateByOne(k);
                pivots[k] = pivot + 1;
            }
            k = last + 1;
        }
        return info;
    }

    private int largestBelow(int k) {
        int largest = -1;
        for (int i = k + 1; i < n; i++) {
            largest = largest < 0 || a.size(i, k) > a.size(largest, k) ? i : largest;
        }
        return largest;
    }

    private double largestBeside(int k, int row) {
        double largest = 0;
        for (int c = k; c < row; c++) {
            largest = Math.max(largest, a.size(row, c));
        }
        for (int i = row + 1; i < n; i++) {
            largest = Math.max(largest, a.size(i, row));
        }
        return largest;
    }

    private void exchange(int k, int p, int q) {
        for (int i = q + 1; i < n; i++) {
            swap(i, p, i, q);
        }
        for (int i = p + 1; i < q; i++) {
            Coefficient held = get(i, p);
            set(a, i, p, mirrored(get(q, i)));
            set(a, q, i, mirrored(held));
        }
        set(a, q, p, mirrored(get(q, p)));
        swap(p, p, q, q);
        if (p > k) {
            swap(p, k, q, k);
        }
    }

    private void swap(int row, int column, int otherRow, int otherColumn) {
        Coefficient held = get(row, column);
        set(a, row, column, get(otherRow, otherColumn));
        set(a, otherRow, otherColumn, held);
    }

    private void updateByOne(int k) {
        Coefficient pivot = get(k, k);
        Coefficient inverse = new Coefficient(1, 0).over(pivot);
        for (int j = k + 1; j < n; j++) {
            Coefficient factor = inverse.times(mirrored(get(j, k)));
            for (int i = j; i < n; i++) {
                set(a, i, j, get(i, j).minus(factor.times(get(i, k))));
            }
            realDiagonal(j);
        }
        for (int i = k + 1; i < n; i++) {
            set(a, i, k, get(i, k).times(inverse));
        }
    }

    private void updateByTwo(int k) {
        for (int j = k + 2; j < n; j++) {
            Coefficient[] own = byBlock(k, get(j, k), get(j, k + 1), false);
            Coefficient x = mirrored(own[0]);
            Coefficient y = mirrored(own[1]);
            for (int i = j; i < n; i++) {
                set(
                        a,
                        i,
                        j,
                        get(i, j).minus(get(i, k).times(x).plus(get(i, k + 1).times(y))));
            }
            realDiagonal(j);
            set(a, j, k, own[0]);
            set(a, j, k + 1, own[1]);
        }
    }

    private void realDiagonal(int k) {
        if (hermitian) {
            a.im[k * n + k] = 0;
        }
    }

    /**
     * Two numbers times the inverse of the block of two at k, from the left as a row, or from the right as a column;
     * scaled by its other element, which is the largest.
     */
    private Coefficient[] byBlock(int k, Coefficient p, Coefficient q, boolean column) {
        Coefficient below = get(k + 1, k);
        Coefficient above = mirrored(below);
        Coefficient first = get(k, k).over(above);
        Coefficient second = get(k + 1, k + 1).over(below);
        Coefficient determinant = first.times(second).minus(new Coefficient(1, 0));
        Coefficient x = column ? p.over(above) : p.over(below);
        Coefficient y = column ? q.over(below) : q.over(above);
        Coefficient one = column
                ? get(k + 1, k + 1).over(below).times(x).minus(y)
                : get(k + 1, k + 1).over(above).times(x).minus(y);
        Coefficient two = column
                ? first.times(y).minus(x)
                : get(k, k).over(below).times(y).minus(x);
        return new Coefficient[] {one.over(determinant), two.over(determinant)};
    }

    private void solve(int[] pivots, Matrix b) {
        for (int k = 0; k < n; ) {
            int last = pivots[k] < 0 ? k + 1 : k;
            b.exchangeRows(last, Math.abs(pivots[k]) - 1);
            for (int from = k; from <= last; from++) {
                for (int i = last + 1; i < n; i++) {
                    b.subtractRow(i, from, 0, a.re[i * n + from], a.im[i * n + from]);
                }
            }
            for (int c = 0; c < b.columns; c++) {
                if (last > k) {
                    Coefficient[] own = byBlock(
                            k,
                            new Coefficient(b.re[b.at(k, c)], b.im[b.at(k, c)]),
                            new Coefficient(b.re[b.at(last, c)], b.im[b.at(last, c)]),
                            true);
                    set(b, k, c, own[0]);
                    set(b, last, c, own[1]);
                } else {
                    b.divide(k, c, a.re[k * n + k], a.im[k * n + k]);
                }
            }
            k = last + 1;
        }
        for (int k = n - 1; k >= 0; ) {
            int first = pivots[k] < 0 ? k - 1 : k;
            for (int row = k; row >= first; row--) {
                for (int i = k + 1; i < n; i++) {
                    Coefficient factor = mirrored(get(i, row));
                    b.subtractRow(row, i, 0, factor.re, factor.im);
                }
            }
            b.exchangeRows(k, Math.abs(pivots[k]) - 1);
            k = first - 1;
        }
    }
}
