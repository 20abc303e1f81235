package org.torchnnapi.operators.support;

/** A matrix of complex numbers in double, row by row; mutable, and small enough that plain loops do. */
public final class Matrix {
    public final int rows;
    public final int columns;
    /** Of a matrix beside its elements: headers and references. */
    static final long BYTES = 64;

    public final double[] re;
    public final double[] im;

    public Matrix(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        this.re = new double[Tensors.count(rows, columns)];
        this.im = new double[re.length];
    }

    public static Matrix identity(int n) {
        Matrix m = new Matrix(n, n);
        for (int i = 0; i < n; i++) {
            m.re[i * n + i] = 1;
        }
        return m;
    }

    public int at(int row, int column) {
        return row * columns + column;
    }

    public void set(int row, int column, double real, double imaginary) {
        re[at(row, column)] = real;
        im[at(row, column)] = imaginary;
    }

    /** The sum of the absolute values of an element's parts, by which LAPACK compares. */
    public double size(int row, int column) {
        return Math.abs(re[at(row, column)]) + Math.abs(im[at(row, column)]);
    }

    public double absolute(int row, int column) {
        return Math.hypot(re[at(row, column)], im[at(row, column)]);
    }

    public Matrix copy() {
        return block(0, 0, rows, columns);
    }

    /** A copy of a part. */
    public Matrix block(int row, int column, int height, int width) {
        Matrix m = new Matrix(height, width);
        for (int i = 0; i < height; i++) {
            System.arraycopy(re, at(row + i, column), m.re, i * width, width);
            System.arraycopy(im, at(row + i, column), m.im, i * width, width);
        }
        return m;
    }

    /** The transpose with conjugate elements. */
    public Matrix adjoint() {
        Matrix m = new Matrix(columns, rows);
        for (int i = 0; i < rows; i++) {
            for (int k = 0; k < columns; k++) {
                m.set(k, i, re[at(i, k)], -im[at(i, k)]);
            }
        }
        return m;
    }

    /** The Hermitian matrix of which this one's lower or upper triangle is a part; changes this. */
    public Matrix mirrored(boolean lower) {
        for (int row = 0; row < rows; row++) {
            im[at(row, row)] = 0;
            for (int c = 0; c < row; c++) {
                int from = lower ? at(row, c) : at(c, row);
                int to = lower ? at(c, row) : at(row, c);
                re[to] = re[from];
                im[to] = -im[from];
            }
        }
        return this;
    }

    public Matrix transpose() {
        Matrix m = adjoint();
        for (int i = 0; i < m.im.length; i++) {
            m.im[i] = -m.im[i];
        }
        return m;
    }

    public Matrix times(Matrix other) {
        Matrix m = new Matrix(rows, other.columns);
        for (int i = 0; i < rows; i++) {
            for (int k = 0; k < columns; k++) {
                double a = re[at(i, k)];
                double b = im[at(i, k)];
                for (int j = 0; j < other.columns; j++) {
                    double c = other.re[k * other.columns + j];
                    double d = other.im[k * other.columns + j];
                    m.re[i * m.columns + j] += a * c - b * d;
                    m.im[i * m.columns + j] += a * d + b * c;
                }
            }
        }
        return m;
    }

    public Matrix scaled(double factor) {
        Matrix m = copy();
        for (int i = 0; i < re.length; i++) {
            m.re[i] *= factor;
            m.im[i] *= factor;
        }
        return m;
    }

    public Matrix plus(Matrix other) {
        Matrix m = copy();
        for (int i = 0; i < re.length; i++) {
            m.re[i] += other.re[i];
            m.im[i] += other.im[i];
        }
        return m;
    }

    public void exchangeRows(int p, int q) {
        for (int c = 0; p != q && c < columns; c++) {
            swap(re, at(p, c), at(q, c));
            swap(im, at(p, c), at(q, c));
        }
    }

    public void exchangeColumns(int p, int q) {
        for (int row = 0; p != q && row < rows; row++) {
            swap(re, at(row, p), at(row, q));
            swap(im, at(row, p), at(row, q));
        }
    }

    private static void swap(double[] a, int i, int k) {
        double held = a[i];
        a[i] = a[k];
        a[k] = held;
    }

    /** Subtracts from row {@code row}, from a column on, a factor times another row. */
    public void subtractRow(int row, int other, int from, double factorRe, double factorIm) {
        for (int c = from; c < columns; c++) {
            double a = re[at(other, c)];
            double b = im[at(other, c)];
            re[at(row, c)] -= factorRe * a - factorIm * b;
            im[at(row, c)] -= factorRe * b + factorIm * a;
        }
    }

    /** Divides an element by a complex number. */
    public void divide(int row, int column, double a, double b) {
        int at = at(row, column);
        double x = re[at];
        double y = im[at];
        if (b == 0) {
            re[at] = x / a;
            im[at] = y / a;
            return;
        }
        double norm = a * a + b * b;
        re[at] = (x * a + y * b) / norm;
        im[at] = (y * a - x * b) / norm;
    }

    /** The largest sum of a row's or column's absolute values. */
    public double norm1() {
        double largest = 0;
        for (int c = 0; c < columns; c++) {
            double sum = 0;
            for (int r = 0; r < rows; r++) {
                sum += absolute(r, c);
            }
            largest = Math.max(largest, sum);
        }
        return largest;
    }
}
