package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.text;
import static org.torchnnapi.operators.support.Args.textOrNull;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Eigenvalues;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Matrices;
import org.torchnnapi.operators.support.Matrix;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Eigenvalues, singular values and least squares of batches of matrices, computed in double. Vectors have length 1;
 * their sign, or phase, is nobody's to say, PyTorch's own differs between machines.
 */
public final class MatrixSpectra implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::linalg_eigh(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)",
                a -> hermitian(tensor(a, 0), text(a, 1)));
        r.op("aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", a -> general(tensor(a, 0)));
        r.op(
                "aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, "
                        + "Tensor Vh)",
                a -> singular(tensor(a, 0), flag(a, 1)));
        r.op(
                "aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor "
                        + "solution, Tensor residuals, "
                        + "Tensor rank, Tensor singular_values)",
                a -> leastSquares(tensor(a, 0), tensor(a, 1), realOrNull(a, 2), textOrNull(a, 3)));
    }

    private static Object[] hermitian(Tensor given, String triangle) {
        Tensor t = Matrices.checkSquare(given, "linalg.eigh");
        boolean lower = triangle.equalsIgnoreCase("L");
        if (!lower && !triangle.equalsIgnoreCase("U")) {
            throw new IllegalArgumentException("Expected UPLO argument to be 'L' or 'U', but got " + triangle);
        }
        int n = t.size(-1);
        Matrix[] all = Matrices.read(t);
        Matrix[] vectors = new Matrix[all.length];
        double[] values = new double[all.length * n];
        for (int i = 0; i < all.length; i++) {
            Matrix m = all[i].mirrored(lower);
            vectors[i] = new Matrix(n, n);
            System.arraycopy(Eigenvalues.hermitian(m, vectors[i]), 0, values, i * n, n);
        }
        return new Object[] {
            Elements.ofDoubles(t.dtype().part(), values, Matrices.sizes(Matrices.batch(t), n)),
            Matrices.write(vectors, t.dtype(), Matrices.batch(t), n, n)
        };
    }

    private static Object[] general(Tensor given) {
        Tensor t = Matrices.checkSquare(given, "linalg.eig");
        int n = t.size(-1);
        Matrix[] all = Matrices.read(t);
        Matrix[] values = new Matrix[all.length];
        Matrix[] vectors = new Matrix[all.length];
        for (Matrix m : all) {
            if (!DoubleStream.concat(Arrays.stream(m.re), Arrays.stream(m.im)).allMatch(Double::isFinite)) {
                throw new IllegalArgumentException("torch.linalg.eig: input tensor should not contain infs or NaNs.");
            }
        }
        for (int i = 0; i < all.length; i++) {
            Matrix q = Eigenvalues.schur(all[i]);
            vectors[i] = Eigenvalues.vectors(all[i], q);
            values[i] = new Matrix(n, 1);
            for (int k = 0; k < n; k++) {
                values[i].set(k, 0, all[i].re[all[i].at(k, k)], all[i].im[all[i].at(k, k)]);
            }
            if (!t.dtype().isComplex()) {
                pair(values[i], vectors[i]);
            }
        }
        DType type = t.dtype().complex();
        int[] sizes = Matrices.sizes(Matrices.batch(t), n);
        return new Object[] {
            Matrices.write(values, type, Matrices.batch(t), n, 1).asStrided(sizes, Shape.contiguousStrides(sizes), 0),
            Matrices.write(vectors, type, Matrices.batch(t), n, n)
        };
    }

    /**
     * Eigenvalues of real matrices are real or come in pairs, of which the one with the positive imaginary part is
     * first.
     */
    private static void pair(Matrix values, Matrix vectors) {
        for (int k = 0; k < values.rows; k++) {
            double size = Math.hypot(values.re[k], values.im[k]);
            if (Math.abs(values.im[k]) <= 1e-13 * size) {
                values.im[k] = 0;
            } else if (k + 1 < values.rows
                    && Math.abs(values.im[k] + values.im[k + 1]) <= 1e-9 * size
                    && Math.abs(values.re[k] - values.re[k + 1]) <= 1e-9 * size) {
                if (values.im[k] < 0) {
                    values.exchangeRows(k, k + 1);
                    vectors.exchangeColumns(k, k + 1);
                }
                k++;
            }
        }
    }

    private static Object[] singular(Tensor given, boolean full) {
        Tensor t = Matrices.check(given, "linalg.svd");
        int rows = t.size(-2);
        int columns = t.size(-1);
        int count = Math.min(rows, columns);
        Matrix[] all = Matrices.read(t);
        Matrix[] u = new Matrix[all.length];
        Matrix[] vh = new Matrix[all.length];
        double[] values = new double[all.length * count];
        for (int i = 0; i < all.length; i++) {
            Eigenvalues.Singular s = Eigenvalues.singular(all[i]);
            u[i] = full ? Eigenvalues.extended(s.u(), rows) : s.u();
            vh[i] = full ? Eigenvalues.extended(s.vh().adjoint(), columns).adjoint() : s.vh();
            System.arraycopy(s.values(), 0, values, i * count, count);
        }
        int[] batch = Matrices.batch(t);
        return new Object[] {
            Matrices.write(u, t.dtype(), batch, rows, full ? rows : count),
            Elements.ofDoubles(t.dtype().part(), values, Matrices.sizes(batch, count)),
            Matrices.write(vh, t.dtype(), batch, full ? columns : count, columns)
        };
    }

    /**
     * The shortest of the nearest solutions, from the singular values; which of the results there are depends on the
     * driver, as in PyTorch.
     */
    private static Object[] leastSquares(Tensor given, Tensor b, Double rcond, String driver) {
        Tensor t = Matrices.check(given, "torch.linalg.lstsq");
        String method = driver == null ? "gelsy" : driver;
        boolean vectors = t.rank() - 1 == b.rank() && Arrays.equals(b.sizes(), Arrays.copyOf(t.sizes(), t.rank() - 1));
        Tensor right =
                vectors ? b.asStrided(Matrices.sizes(b.sizes(), 1), Matrices.sizes(b.strides(), 1), b.offset()) : b;
        int rows = t.size(-2);
        int columns = t.size(-1);
        int[] batch = BroadcastShapes.shape(Matrices.batch(t), Matrices.batch(right));
        Matrix[] all = Matrices.read(Matrices.expand(t, batch));
        Matrix[] sides = Matrices.read(Matrices.expand(right, batch));
        int count = Math.min(rows, columns);
        double[] singular = new double[all.length * count];
        long[] ranks = new long[all.length];
        double[] residuals = new double[all.length * right.size(-1)];
        double epsilon = t.dtype().part() == DType.FLOAT64 ? Math.ulp(1.0) : Math.ulp(1f);
        double cut = rcond == null ? epsilon * Math.max(rows, columns) : rcond;
        boolean determined = rows > columns;
        for (int i = 0; i < all.length; i++) {
            Eigenvalues.Singular s = Eigenvalues.singular(all[i]);
            System.arraycopy(s.values(), 0, singular, i * count, count);
            Matrix projected = s.u().adjoint().times(sides[i]);
            for (int k = 0; k < count; k++) {
                boolean kept = s.values()[k] > cut * s.values()[0];
                ranks[i] += kept ? 1 : 0;
                for (int c = 0; c < projected.columns; c++) {
                    double factor = kept ? 1 / s.values()[k] : 0;
                    projected.set(
                            k, c, projected.re[projected.at(k, c)] * factor, projected.im[projected.at(k, c)] * factor);
                }
            }
            Matrix solution = s.vh().adjoint().times(projected);
            Matrix rest = all[i].times(solution).plus(sides[i].scaled(-1));
            for (int c = 0; c < rest.columns; c++) {
                for (int row = 0; row < rows; row++) {
                    residuals[i * rest.columns + c] += rest.absolute(row, c) * rest.absolute(row, c);
                }
            }
            determined &= ranks[i] == columns;
            sides[i] = solution;
        }
        DType real = t.dtype().part();
        Tensor solution = Matrices.write(sides, t.dtype(), batch, columns, right.size(-1));
        int[] flat = Matrices.sizes(batch, columns);
        return new Object[] {
            vectors ? solution.asStrided(flat, Shape.contiguousStrides(flat), 0) : solution,
            determined && !method.equals("gelsy")
                    ? Elements.ofDoubles(real, residuals, vectors ? batch : Matrices.sizes(batch, right.size(-1)))
                    : Tensor.zeros(real, 0),
            method.equals("gels") ? Tensor.zeros(DType.INT64, 0) : Elements.ofLongs(DType.INT64, ranks, batch),
            method.equals("gels") || method.equals("gelsy")
                    ? Tensor.zeros(real, 0)
                    : Elements.ofDoubles(real, singular, Matrices.sizes(batch, count))
        };
    }
}
