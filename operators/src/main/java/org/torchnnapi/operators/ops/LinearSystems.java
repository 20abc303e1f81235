package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Factorizations;
import org.torchnnapi.operators.support.Matrices;
import org.torchnnapi.operators.support.Matrix;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Determinants, inverses and solutions of batches of square systems, by elimination with row exchanges, in double. */
public final class LinearSystems implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        for (String name : new String[] {"det", "linalg_det"}) {
            r.op("aten::" + name + matrix(name), a -> determinant(tensor(a, 0)));
        }
        for (String name : new String[] {"inverse", "linalg_inv"}) {
            r.op("aten::" + name + matrix(name), a -> inverse(tensor(a, 0), name));
        }
        r.op(
                "aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
                a -> flag(a, 2)
                        ? solution(tensor(a, 0), tensor(a, 1))
                        : TensorViews.transpose(
                                solution(
                                        TensorViews.transpose(tensor(a, 0), -2, -1),
                                        TensorViews.transpose(tensor(a, 1), -2, -1)),
                                -2,
                                -1));
    }

    /** The newer names have a newer name for the matrix. */
    private static String matrix(String name) {
        return name.startsWith("linalg_") ? "(Tensor A) -> Tensor" : "(Tensor self) -> Tensor";
    }

    private static int order(Tensor t, String name) {
        boolean type = t.dtype().isComplex() || t.dtype() == DType.FLOAT32 || t.dtype() == DType.FLOAT64;
        if (t.rank() < 2 || t.size(-1) != t.size(-2) || !type) {
            throw new IllegalArgumentException(name + ": A must be batches of square matrices, but they are " + t
                    + " (expected: float32, float64 or complex)");
        }
        return t.size(-1);
    }

    private static Tensor determinant(Tensor t) {
        int n = order(t, "linalg.det");
        if (t.dtype().isComplex()) {
            return complexDeterminant(t, n);
        }
        double[] all = Elements.doubles(t);
        int[] batch = Arrays.copyOf(t.sizes(), t.rank() - 2);
        double[] out = new double[(int) Shape.numel(batch)];
        for (int i = 0; i < out.length; i++) {
            out[i] = eliminate(Arrays.copyOfRange(all, i * n * n, (i + 1) * n * n), n, new double[0], 0);
        }
        return Elements.ofDoubles(t.dtype(), out, batch);
    }

    private static Tensor inverse(Tensor t, String name) {
        int n = order(t, name);
        if (t.dtype().isComplex()) {
            return Matrices.map(t, n, n, m -> complexSolution(m, Matrix.identity(n), name));
        }
        double[] all = Elements.doubles(t);
        double[] out = new double[all.length];
        for (int i = 0; n > 0 && i < all.length / (n * n); i++) {
            double[] right = new double[n * n];
            for (int k = 0; k < n; k++) {
                right[k * n + k] = 1;
            }
            solve(Arrays.copyOfRange(all, i * n * n, (i + 1) * n * n), n, right, n, name);
            System.arraycopy(right, 0, out, i * n * n, n * n);
        }
        return Matrices.byColumns(Elements.ofDoubles(t.dtype(), out, t.sizes()));
    }

    /** Right sides are vectors if they have the shape of the matrices but for the last dimension. */
    private static Tensor solution(Tensor matrices, Tensor given) {
        int n = order(matrices, "linalg.solve");
        boolean vectors = given.rank() == 1
                || given.rank() == matrices.rank() - 1
                        && Arrays.equals(given.sizes(), Arrays.copyOf(matrices.sizes(), matrices.rank() - 1));
        Tensor right = vectors ? TensorViews.unsqueeze(given, -1) : given;
        if (right.rank() < 2 || right.size(-2) != n) {
            throw new IllegalArgumentException("linalg.solve: Incompatible shapes of A and B for the equation AX = B: "
                    + Arrays.toString(matrices.sizes()) + " and " + Arrays.toString(given.sizes()));
        }
        int columns = right.size(-1);
        int[] batch = BroadcastShapes.shape(
                Arrays.copyOf(matrices.sizes(), matrices.rank() - 2), Arrays.copyOf(right.sizes(), right.rank() - 2));
        if (matrices.dtype().isComplex()) {
            Matrix[] all = Matrices.read(Matrices.expand(matrices, batch));
            Matrix[] sides = Matrices.read(Matrices.expand(right, batch));
            for (int i = 0; i < all.length; i++) {
                sides[i] = complexSolution(all[i], sides[i], "linalg.solve");
            }
            Tensor solved = Matrices.write(sides, matrices.dtype(), batch, n, columns);
            return vectors ? TensorViews.select(solved, -1, 0) : solved;
        }
        double[] a = Elements.doubles(BroadcastShapes.expand(matrices, with(batch, n, n)));
        double[] b = Elements.doubles(BroadcastShapes.expand(right, with(batch, n, columns)));
        double[] out = new double[b.length];
        for (int i = 0; i < Shape.numel(batch); i++) {
            double[] x = Arrays.copyOfRange(b, i * n * columns, (i + 1) * n * columns);
            solve(Arrays.copyOfRange(a, i * n * n, (i + 1) * n * n), n, x, columns, "linalg.solve");
            System.arraycopy(x, 0, out, i * n * columns, x.length);
        }
        Tensor solved = Matrices.byColumns(Elements.ofDoubles(matrices.dtype(), out, with(batch, n, columns)));
        return vectors ? TensorViews.select(solved, -1, 0) : solved;
    }

    private static Tensor complexDeterminant(Tensor t, int n) {
        Tensor determinants = Matrices.map(t, 1, 1, m -> {
            Matrix factors = m.copy();
            int[] pivots = new int[n];
            Factorizations.lu(factors, pivots, true);
            double re = 1;
            double im = 0;
            for (int k = 0; k < n; k++) {
                // Pivots count from one.
                double sign = pivots[k] == k + 1 ? 1 : -1;
                double x = sign * factors.re[factors.at(k, k)];
                double y = sign * factors.im[factors.at(k, k)];
                double held = re * x - im * y;
                im = re * y + im * x;
                re = held;
            }
            Matrix result = new Matrix(1, 1);
            result.set(0, 0, re, im);
            return result;
        });
        return TensorViews.reshape(determinants, Matrices.batch(t));
    }

    private static Matrix complexSolution(Matrix a, Matrix right, String name) {
        Matrix factors = a.copy();
        int[] pivots = new int[a.rows];
        if (Factorizations.lu(factors, pivots, true) != 0) {
            throw singular(name);
        }
        Matrix x = right.copy();
        Factorizations.solveLu(factors, pivots, x);
        return x;
    }

    private static IllegalArgumentException singular(String name) {
        return new IllegalArgumentException(name
                + ": The diagonal element is zero, the inversion could not be completed because the input "
                + "matrix is singular.");
    }

    private static int[] with(int[] batch, int rows, int columns) {
        int[] sizes = Arrays.copyOf(batch, batch.length + 2);
        sizes[batch.length] = rows;
        sizes[batch.length + 1] = columns;
        return sizes;
    }

    private static void solve(double[] a, int n, double[] b, int columns, String name) {
        if (eliminate(a, n, b, columns) == 0) {
            throw singular(name);
        }
        for (int row = n - 1; row >= 0; row--) {
            for (int c = 0; c < columns; c++) {
                double x = b[row * columns + c];
                for (int k = row + 1; k < n; k++) {
                    x -= a[row * n + k] * b[k * columns + c];
                }
                b[row * columns + c] = x / a[row * n + row];
            }
        }
    }

    /** Makes a matrix triangular, and does the same to right sides. @return its determinant */
    private static double eliminate(double[] a, int n, double[] b, int columns) {
        double determinant = 1;
        for (int k = 0; k < n; k++) {
            int pivot = k;
            for (int row = k + 1; row < n; row++) {
                pivot = Math.abs(a[row * n + k]) > Math.abs(a[pivot * n + k]) ? row : pivot;
            }
            determinant *= pivot == k ? a[k * n + k] : -a[pivot * n + k];
            if (a[pivot * n + k] == 0) {
                return 0;
            }
            exchange(a, n, k, pivot);
            exchange(b, columns, k, pivot);
            for (int row = k + 1; row < n; row++) {
                double factor = a[row * n + k] / a[k * n + k];
                for (int c = k; c < n; c++) {
                    a[row * n + c] -= factor * a[k * n + c];
                }
                for (int c = 0; c < columns; c++) {
                    b[row * columns + c] -= factor * b[k * columns + c];
                }
            }
        }
        return determinant;
    }

    private static void exchange(double[] matrix, int width, int p, int q) {
        for (int c = 0; p != q && c < width; c++) {
            double held = matrix[p * width + c];
            matrix[p * width + c] = matrix[q * width + c];
            matrix[q * width + c] = held;
        }
    }
}
