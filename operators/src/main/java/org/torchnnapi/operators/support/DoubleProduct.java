package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.platform.Interruption;

/**
 * Matrix products in double, block by block: of the right matrix what the caches hold meets all rows of the left one.
 */
public final class DoubleProduct {
    /** Rows of the right matrix in a block; a multiple of {@link #TOGETHER}. */
    private static final int DEPTH = 64;
    /** Columns of a block, which with its rows fill less than a second-level cache. */
    private static final int WIDTH = 256;
    /** Rows of the right matrix that a pass over a row of the result adds. */
    private static final int TOGETHER = 4;
    /**
     * Results of fewer columns are computed transposed, if that gives them more: passes over rows of a few elements do
     * little at a time.
     */
    private static final int NARROW = 16;

    private DoubleProduct() {}

    /** {@code c = a b} of matrices row after row; a has m rows, b n columns. */
    public static double[] of(double[] a, double[] b, int m, int n, int k) {
        double[] c = new double[Tensors.count(m, n)];
        if (n < NARROW && n < m) {
            add(transposed(b, 0, k, n), 0, transposed(a, 0, m, k), m, c, 0, m, n, m, k);
            return transposed(c, 0, n, m);
        }
        add(a, 0, b, n, c, 0, n, m, n, k);
        return c;
    }

    /**
     * The matrix of {@code columns} rows that a part of an array, {@code rows} by {@code columns} elements from
     * {@code at} on, is turned round.
     */
    static double[] transposed(double[] matrix, int at, int rows, int columns) {
        double[] transposed = new double[rows * columns];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                transposed[column * rows + row] = matrix[at + row * columns + column];
            }
        }
        return transposed;
    }

    /**
     * {@code c += a b}: m rows of n elements, k products each.
     *
     * @param a rows of k elements that follow each other, from {@code aAt} on
     * @param b rows that begin {@code bStep} apart
     * @param c rows that begin {@code cStep} apart, from {@code cAt} on
     */
    static void add(double[] a, int aAt, double[] b, int bStep, double[] c, int cAt, int cStep, int m, int n, int k) {
        for (int column = 0; column < n; column += WIDTH) {
            int width = Math.min(WIDTH, n - column);
            for (int depth = 0; depth < k; depth += DEPTH) {
                Interruption.check();
                int end = Math.min(depth + DEPTH, k);
                for (int row = 0; row < m; row++) {
                    addRow(a, aAt + row * k, b, bStep, column, depth, end, c, cAt + row * cStep + column, width);
                }
            }
        }
    }

    private static void addRow(
            double[] a,
            int aAt,
            double[] b,
            int bStep,
            int column,
            int depth,
            int end,
            double[] c,
            int cAt,
            int width) {
        int p = depth;
        for (; p + TOGETHER <= end; p += TOGETHER) {
            int from = p * bStep + column;
            addFour(
                    c,
                    cAt,
                    b,
                    from,
                    from + bStep,
                    from + 2 * bStep,
                    from + 3 * bStep,
                    a[aAt + p],
                    a[aAt + p + 1],
                    a[aAt + p + 2],
                    a[aAt + p + 3],
                    width);
        }
        for (; p < end; p++) {
            addOne(c, cAt, b, p * bStep + column, a[aAt + p], width);
        }
    }

    /** By itself and without conditions, as a virtual machine then does several columns at once; so is the other. */
    private static void addFour(
            double[] c,
            int at,
            double[] b,
            int first,
            int second,
            int third,
            int fourth,
            double w,
            double x,
            double y,
            double z,
            int count) {
        for (int i = 0; i < count; i++) {
            c[at + i] += w * b[first + i] + x * b[second + i] + (y * b[third + i] + z * b[fourth + i]);
        }
    }

    private static void addOne(double[] c, int at, double[] b, int from, double factor, int count) {
        for (int i = 0; i < count; i++) {
            c[at + i] += factor * b[from + i];
        }
    }
}
