package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.realOrNull;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Eigenvalues;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Factorizations;
import org.torchnnapi.operators.support.Matrices;
import org.torchnnapi.operators.support.Matrix;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/** Ranks and pseudo-inverses, from singular values above a bound, and determinants with their logarithms. */
public final class MatrixInverses implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool "
                        + "hermitian=False) -> Tensor",
                a -> inverse(tensor(a, 0), tensorOrNull(a, 1), tensorOrNull(a, 2), flag(a, 3)));
        r.op(
                "aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool "
                        + "hermitian=False) -> Tensor",
                a -> inverse(tensor(a, 0), number(realOrNull(a, 1)), number(realOrNull(a, 2)), flag(a, 3)));
        r.op(
                "aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor",
                a -> inverse(tensor(a, 0), number(0.0), number(real(a, 1)), flag(a, 2)));
        r.op(
                "aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor",
                a -> inverse(tensor(a, 0), number(0.0), tensor(a, 1), flag(a, 2)));
        r.op(
                "aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, "
                        + "bool hermitian=False) -> Tensor",
                a -> rank(tensor(a, 0), tensorOrNull(a, 1), tensorOrNull(a, 2), flag(a, 3)));
        r.op(
                "aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool "
                        + "hermitian=False) -> Tensor",
                a -> rank(tensor(a, 0), number(realOrNull(a, 1)), number(realOrNull(a, 2)), flag(a, 3)));
        r.op(
                "aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor",
                a -> rank(tensor(a, 0), number(real(a, 1)), number(0.0), flag(a, 2)));
        r.op(
                "aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor",
                a -> rank(tensor(a, 0), tensor(a, 1), number(0.0), flag(a, 2)));
        r.op("aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", a -> logDeterminant(tensor(a, 0)));
    }

    private static Tensor number(Double value) {
        return value == null ? null : Elements.ofDoubles(DType.FLOAT64, new double[] {value});
    }

    /**
     * Bounds below which singular values count as zero: the larger of an absolute one and one relative to the largest
     * value.
     */
    private static double[] bounds(Tensor t, Tensor absolute, Tensor relative, Eigenvalues.Singular[] all) {
        double epsilon = t.dtype().part() == DType.FLOAT64 ? Math.ulp(1.0) : Math.ulp(1f);
        double usual = epsilon * Math.max(t.size(-1), t.size(-2));
        int[] batch = Matrices.batch(t);
        double[] atol = absolute == null ? null : Elements.doubles(BroadcastShapes.expand(absolute, batch));
        double[] rtol = relative == null ? null : Elements.doubles(BroadcastShapes.expand(relative, batch));
        double[] bounds = new double[all.length];
        for (int i = 0; i < bounds.length; i++) {
            double floor = atol == null ? 0 : atol[i];
            // The usual relative bound counts only where no absolute one is given.
            double part = rtol != null ? rtol[i] : floor > 0 ? 0 : usual;
            double largest = all[i].values().length == 0 ? 0 : all[i].values()[0];
            bounds[i] = Math.max(floor, part * largest);
        }
        return bounds;
    }

    /** @param hermitian whether the lower triangles stand for the whole matrices */
    private static Eigenvalues.Singular[] decompose(Tensor t, boolean hermitian) {
        return Arrays.stream(Matrices.read(t))
                .map(m -> Eigenvalues.singular(hermitian ? m.mirrored(true) : m))
                .toArray(Eigenvalues.Singular[]::new);
    }

    /** The matrices, as often as there are bounds for them. */
    private static Tensor forBounds(Tensor t, Tensor absolute, Tensor relative) {
        requireReal(absolute, relative);
        int[] batch = BroadcastShapes.shape(Matrices.batch(t), absolute == null ? new int[0] : absolute.sizes());
        return Matrices.expand(t, BroadcastShapes.shape(batch, relative == null ? new int[0] : relative.sizes()));
    }

    private static void requireReal(Tensor... bounds) {
        for (Tensor bound : bounds) {
            if (bound != null && bound.dtype().isComplex()) {
                throw new IllegalArgumentException("bound: " + bound + " (expected: atol and rtol of a real type)");
            }
        }
    }

    private static Tensor inverse(Tensor given, Tensor absolute, Tensor relative, boolean hermitian) {
        requireReal(absolute, relative);
        if (Matrices.check(given, "linalg.pinv").numel() == 0) {
            // Of none there is one each, however many bounds there are.
            return Tensor.zeros(given.dtype(), Matrices.sizes(Matrices.batch(given), given.size(-1), given.size(-2)));
        }
        Tensor t = forBounds(given, absolute, relative);
        Eigenvalues.Singular[] all = decompose(t, hermitian);
        double[] bounds = bounds(t, absolute, relative, all);
        Matrix[] out = new Matrix[all.length];
        for (int i = 0; i < all.length; i++) {
            Matrix v = all[i].vh().adjoint();
            for (int c = 0; c < v.columns; c++) {
                double value = all[i].values()[c];
                double factor = value > bounds[i] ? 1 / value : 0;
                for (int row = 0; row < v.rows; row++) {
                    v.set(row, c, v.re[v.at(row, c)] * factor, v.im[v.at(row, c)] * factor);
                }
            }
            out[i] = v.times(all[i].u().adjoint());
        }
        return Matrices.write(out, t.dtype(), Matrices.batch(t), t.size(-1), t.size(-2))
                .contiguous();
    }

    private static Tensor rank(Tensor given, Tensor absolute, Tensor relative, boolean hermitian) {
        Tensor t = forBounds(Matrices.check(given, "torch.linalg.matrix_rank"), absolute, relative);
        Eigenvalues.Singular[] all = decompose(t, hermitian);
        double[] bounds = bounds(t, absolute, relative, all);
        long[] ranks = new long[all.length];
        for (int i = 0; i < ranks.length; i++) {
            double bound = bounds[i];
            ranks[i] = Arrays.stream(all[i].values())
                    .filter(value -> value > bound)
                    .count();
        }
        return Elements.ofLongs(DType.INT64, ranks, Matrices.batch(t));
    }

    private static Object[] logDeterminant(Tensor given) {
        Tensor t = Matrices.checkSquare(given, "linalg.slogdet");
        int n = t.size(-1);
        Matrix[] all = Matrices.read(t);
        Matrix[] signs = new Matrix[all.length];
        double[] logs = new double[all.length];
        for (int i = 0; i < all.length; i++) {
            int[] pivots = new int[n];
            Factorizations.lu(all[i], pivots, true);
            Matrix sign = Matrix.identity(1);
            for (int k = 0; k < n; k++) {
                Matrix factor = all[i].block(k, k, 1, 1);
                double size = factor.absolute(0, 0);
                logs[i] += Math.log(size);
                sign = sign.times(size == 0 ? new Matrix(1, 1) : factor.scaled((pivots[k] == k + 1 ? 1 : -1) / size));
            }
            signs[i] = sign;
        }
        int[] batch = Matrices.batch(t);
        Tensor sign = Matrices.write(signs, t.dtype(), batch, 1, 1);
        return new Object[] {
            sign.asStrided(batch, Shape.contiguousStrides(batch), 0),
            Elements.ofDoubles(t.dtype().part(), logs, batch)
        };
    }
}
