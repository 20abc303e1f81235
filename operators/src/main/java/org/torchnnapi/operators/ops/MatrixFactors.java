package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Factorizations;
import org.torchnnapi.operators.support.Matrices;
import org.torchnnapi.operators.support.Matrix;
import org.torchnnapi.operators.support.SymmetricFactors;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Triangular and orthogonal factors of batches of matrices, computed in double; results are laid out as LAPACK lays
 * them out.
 */
public final class MatrixFactors implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, "
                        + "Tensor pivots, Tensor info)",
                a -> lu(tensor(a, 0), flag(a, 1), flag(a, 2)));
        r.op(
                "aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor "
                        + "pivots, Tensor info)",
                a -> lu(tensor(a, 0), flag(a, 1), flag(a, 2)));
        r.op(
                "aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) "
                        + "-> (Tensor P, Tensor L, Tensor U)",
                a -> unpack(tensor(a, 0), tensor(a, 1), flag(a, 2), flag(a, 3)));
        r.op(
                "aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> "
                        + "Tensor",
                a -> solveLu(tensor(a, 0), tensor(a, 1), tensor(a, 2), flag(a, 3), flag(a, 4)));
        r.op(
                "aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, "
                        + "Tensor info)",
                a -> cholesky(tensor(a, 0), flag(a, 1), flag(a, 2)));
        r.op("aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", a -> geqrf(tensor(a, 0)));
        r.op(
                "aten::linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)",
                a -> qr(tensor(a, 0), text(a, 1)));
        r.op(
                "aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
                a -> product(tensor(a, 0), tensor(a, 1)));
        r.op(
                "aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> "
                        + "Tensor",
                a -> multiply(tensor(a, 0), tensor(a, 1), tensor(a, 2), flag(a, 3), flag(a, 4)));
        r.op(
                "aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool "
                        + "unitriangular=False) -> Tensor",
                a -> triangular(tensor(a, 0), tensor(a, 1), flag(a, 2), flag(a, 3), flag(a, 4)));
        r.op(
                "aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> "
                        + "(Tensor LD, Tensor pivots, Tensor info)",
                a -> symmetric(tensor(a, 0), flag(a, 1), flag(a, 2)));
        r.op(
                "aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
                a -> solveSymmetric(tensor(a, 0), tensor(a, 1), tensor(a, 2), flag(a, 3)));
        // Taylor's series of a matrix of norm 1/2 or less, squared as often as the matrix was halved: up to a norm of
        // 2^11.
        r.composite(
                "aten::linalg_matrix_exp(Tensor self) -> Tensor",
                a -> {
                    DType type = tensor(a, 0).dtype();
                    boolean narrow = type == DType.FLOAT16 || type == DType.BFLOAT16;
                    Tensor t = Matrices.checkSquare(
                            narrow ? Elements.cast(tensor(a, 0), DType.FLOAT32) : tensor(a, 0), "linalg.matrix_exp");
                    Tensor made = Matrices.map(t, t.size(-1), t.size(-1), Factorizations::exponential);
                    return Elements.cast(Tensors.ordered(made, t), type);
                },
                """
            norm = torch.amax(torch.sum(torch.abs(self), [-2], True), [-1], True)
            halvings = torch.clamp(torch.add(torch.ceil(torch.log2(torch.clamp(norm, 9.9999999999999995e-21))), 1.), \
            0., 12.)
            small = torch.mul(self, torch.exp2(torch.neg(halvings)))
            one = torch.eye(torch.size(self, -1), dtype=ops.prim.dtype(self))
            sum = torch.expand_as(one, self)
            for i in range(9):
              sum = torch.add(torch.div(torch.matmul(small, sum), torch.sub(9, i)), one)
            for k in range(12):
              sum = torch.where(torch.gt(halvings, k), torch.matmul(sum, sum), sum)
            return sum""");
    }

    private static Object[] lu(Tensor given, boolean pivot, boolean check) {
        Tensor t = Matrices.check(given, "torch.linalg.lu_factor");
        Matrix[] all = Matrices.read(t);
        int steps = Math.min(t.size(-1), t.size(-2));
        long[] pivots = new long[all.length * steps];
        long[] infos = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            int[] own = new int[steps];
            infos[i] = Factorizations.lu(all[i], own, pivot);
            for (int k = 0; k < steps; k++) {
                pivots[i * steps + k] = own[k];
            }
            if (check && infos[i] != 0) {
                throw new IllegalArgumentException("linalg.lu_factor: U[" + infos[i] + "," + infos[i]
                        + "] is zero and using it on lu_solve would result in a division by zero.");
            }
        }
        return new Object[] {
            Matrices.write(all, t.dtype(), Matrices.batch(t), t.size(-2), t.size(-1)),
            Elements.ofLongs(DType.INT32, pivots, Matrices.sizes(Matrices.batch(t), steps)),
            Elements.ofLongs(DType.INT32, infos, Matrices.batch(t))
        };
    }

    private static Object[] unpack(Tensor data, Tensor pivots, boolean wantsData, boolean wantsPivots) {
        Matrix[] all = Matrices.read(data);
        int rows = data.size(-2);
        int columns = data.size(-1);
        int steps = Math.min(rows, columns);
        int[] batch = Matrices.batch(data);
        long[] exchanged = Elements.longs(pivots);
        Matrix[] p = new Matrix[all.length];
        Matrix[] l = new Matrix[all.length];
        Matrix[] u = new Matrix[all.length];
        for (int i = 0; i < all.length; i++) {
            int[] order = Factorizations.order(pivots(exchanged, i, steps), rows);
            p[i] = new Matrix(rows, rows);
            l[i] = all[i].block(0, 0, rows, steps);
            u[i] = all[i].block(0, 0, steps, columns);
            for (int row = 0; row < rows; row++) {
                p[i].set(order[row], row, 1, 0);
                for (int c = row; c < steps; c++) {
                    l[i].set(row, c, c == row ? 1 : 0, 0);
                }
                for (int c = 0; row < steps && c < row; c++) {
                    u[i].set(row, c, 0, 0);
                }
            }
        }
        DType type = data.dtype();
        Tensor none = Tensor.zeros(type, 0);
        return new Object[] {
            wantsPivots ? Matrices.write(p, type, batch, rows, rows).contiguous() : none,
            wantsData ? Matrices.write(l, type, batch, rows, steps).contiguous() : none,
            wantsData ? Matrices.write(u, type, batch, steps, columns).contiguous() : none
        };
    }

    private static int[] pivots(long[] all, int matrix, int steps) {
        int[] own = new int[steps];
        Arrays.setAll(own, k -> (int) all[matrix * steps + k]);
        return own;
    }

    private static Tensor solveLu(Tensor lu, Tensor pivots, Tensor b, boolean left, boolean adjoint) {
        int[] batch = BroadcastShapes.shape(Matrices.batch(lu), Matrices.batch(b));
        int n = lu.size(-1);
        Matrix[] factors = Matrices.read(Matrices.expand(lu, batch));
        Matrix[] right = Matrices.read(Matrices.expand(b, batch));
        long[] exchanged = Elements.longs(BroadcastShapes.expand(pivots, Matrices.sizes(batch, n)));
        for (int i = 0; i < right.length; i++) {
            int[] own = pivots(exchanged, i, n);
            // X A = B is A' X' = B'.
            Matrix x = left ? right[i] : right[i].adjoint();
            if (left != adjoint) {
                Factorizations.solveLu(factors[i], own, x);
            } else {
                Matrix turned = factors[i].adjoint();
                Factorizations.solveTriangular(turned, x, false, false);
                Factorizations.solveTriangular(turned, x, true, true);
                for (int k = n - 1; k >= 0; k--) {
                    x.exchangeRows(k, own[k] - 1);
                }
            }
            right[i] = left ? x : x.adjoint();
        }
        return Matrices.write(right, b.dtype(), batch, b.size(-2), b.size(-1));
    }

    private static Object[] cholesky(Tensor given, boolean upper, boolean check) {
        Tensor t = Matrices.checkSquare(given, "linalg.cholesky");
        int n = t.size(-1);
        Matrix[] all = Matrices.read(t);
        long[] infos = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            Matrix m = upper ? all[i].adjoint() : all[i];
            infos[i] = Factorizations.cholesky(m);
            if (check && infos[i] != 0) {
                throw new IllegalArgumentException(
                        "linalg.cholesky: The factorization could not be completed because the input is not "
                                + "positive-definite (the leading minor of order " + infos[i]
                                + " is not positive-definite).");
            }
            all[i] = upper ? m.adjoint() : m;
        }
        return new Object[] {
            Matrices.write(all, t.dtype(), Matrices.batch(t), n, n),
            Elements.ofLongs(DType.INT32, infos, Matrices.batch(t))
        };
    }

    private static Object[] geqrf(Tensor given) {
        Tensor t = Matrices.check(given, "torch.geqrf");
        Matrix[] all = Matrices.read(t);
        int steps = Math.min(t.size(-1), t.size(-2));
        Matrix[] tau = new Matrix[all.length];
        for (int i = 0; i < all.length; i++) {
            tau[i] = Factorizations.householder(all[i]);
        }
        Tensor factors = Matrices.write(tau, t.dtype(), Matrices.batch(t), steps, 1);
        return new Object[] {
            Matrices.write(all, t.dtype(), Matrices.batch(t), t.size(-2), t.size(-1)),
            factors.asStrided(
                    Matrices.sizes(Matrices.batch(t), steps),
                    Shape.contiguousStrides(Matrices.sizes(Matrices.batch(t), steps)),
                    0)
        };
    }

    private static Object[] qr(Tensor given, String mode) {
        Tensor t = Matrices.check(given, "linalg.qr");
        if (!mode.equals("reduced") && !mode.equals("complete") && !mode.equals("r")) {
            throw new IllegalArgumentException("qr received unrecognized mode '" + mode
                    + "' but expected one of 'reduced' (default), 'r', or 'complete'");
        }
        int rows = t.size(-2);
        int columns = t.size(-1);
        int inner = mode.equals("complete") ? rows : Math.min(rows, columns);
        Matrix[] all = Matrices.read(t);
        Matrix[] q = new Matrix[all.length];
        Matrix[] upper = new Matrix[all.length];
        for (int i = 0; i < all.length; i++) {
            Matrix tau = Factorizations.householder(all[i]);
            q[i] = Factorizations.q(all[i], tau, inner);
            upper[i] = new Matrix(inner, columns);
            for (int r = 0; r < Math.min(inner, rows); r++) {
                for (int c = r; c < columns; c++) {
                    upper[i].set(r, c, all[i].re[all[i].at(r, c)], all[i].im[all[i].at(r, c)]);
                }
            }
        }
        return new Object[] {
            mode.equals("r")
                    ? Tensor.zeros(t.dtype(), 0)
                    : Matrices.write(q, t.dtype(), Matrices.batch(t), rows, inner),
            Matrices.write(upper, t.dtype(), Matrices.batch(t), inner, columns)
        };
    }

    private static Matrix[] taus(Tensor tau) {
        return Matrices.read(
                tau.asStrided(Matrices.sizes(tau.sizes(), 1), Matrices.sizes(tau.strides(), 1), tau.offset()));
    }

    private static Tensor product(Tensor given, Tensor tau) {
        Tensor t = Matrices.check(given, "torch.linalg.householder_product");
        Matrix[] all = Matrices.read(t);
        Matrix[] factors = taus(tau);
        for (int i = 0; i < all.length; i++) {
            all[i] = Factorizations.q(all[i], factors[i], t.size(-1));
        }
        return Matrices.write(all, t.dtype(), Matrices.batch(t), t.size(-2), t.size(-1));
    }

    private static Tensor multiply(Tensor vectors, Tensor tau, Tensor other, boolean left, boolean transpose) {
        Matrix[] all = Matrices.read(Matrices.check(vectors, "torch.ormqr"));
        Matrix[] factors = taus(tau);
        Matrix[] targets = Matrices.read(other);
        for (int i = 0; i < targets.length; i++) {
            // C Q is the adjoint of Q' C'.
            Matrix target = left ? targets[i] : targets[i].adjoint();
            Factorizations.applyReflections(all[i], factors[i], target, left == transpose);
            targets[i] = left ? target : target.adjoint();
        }
        return Matrices.write(targets, other.dtype(), Matrices.batch(other), other.size(-2), other.size(-1));
    }

    private static Tensor triangular(Tensor given, Tensor b, boolean upper, boolean left, boolean unit) {
        Tensor t = Matrices.checkSquare(given, "linalg.solve_triangular");
        int[] batch = BroadcastShapes.shape(Matrices.batch(t), Matrices.batch(b));
        Matrix[] all = Matrices.read(Matrices.expand(t, batch));
        Matrix[] right = Matrices.read(Matrices.expand(b, batch));
        for (int i = 0; i < right.length; i++) {
            Matrix x = left ? right[i] : right[i].transpose();
            Factorizations.solveTriangular(left ? all[i] : all[i].transpose(), x, left == upper, unit);
            right[i] = left ? x : x.transpose();
        }
        return Matrices.write(right, b.dtype(), batch, b.size(-2), b.size(-1));
    }

    private static Object[] symmetric(Tensor given, boolean hermitian, boolean check) {
        Tensor t = Matrices.checkSquare(given, "linalg.ldl_factor");
        int n = t.size(-1);
        Matrix[] all = Matrices.read(t);
        long[] pivots = new long[all.length * n];
        long[] infos = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            int[] own = new int[n];
            infos[i] = SymmetricFactors.factor(all[i], hermitian, own);
            for (int k = 0; k < n; k++) {
                pivots[i * n + k] = own[k];
                Arrays.fill(all[i].re, k * n + k + 1, (k + 1) * n, 0);
                Arrays.fill(all[i].im, k * n + k + 1, (k + 1) * n, 0);
            }
            if (check && infos[i] != 0) {
                throw new IllegalArgumentException("linalg.ldl_factor: D[" + infos[i] + "," + infos[i]
                        + "] is zero and using it on ldl_solve would result in a division by zero.");
            }
        }
        return new Object[] {
            Matrices.write(all, t.dtype(), Matrices.batch(t), n, n),
            Elements.ofLongs(DType.INT32, pivots, Matrices.sizes(Matrices.batch(t), n)),
            Elements.ofLongs(DType.INT32, infos, Matrices.batch(t))
        };
    }

    private static Tensor solveSymmetric(Tensor given, Tensor pivots, Tensor b, boolean hermitian) {
        Tensor t = Matrices.checkSquare(given, "linalg.ldl_solve");
        int n = t.size(-1);
        int[] batch = BroadcastShapes.shape(Matrices.batch(t), Matrices.batch(b));
        Matrix[] factors = Matrices.read(Matrices.expand(t, batch));
        Matrix[] right = Matrices.read(Matrices.expand(b, batch));
        long[] exchanged = Elements.longs(BroadcastShapes.expand(pivots, Matrices.sizes(batch, n)));
        for (int i = 0; i < right.length; i++) {
            SymmetricFactors.solve(factors[i], hermitian, pivots(exchanged, i, n), right[i]);
        }
        return Matrices.write(right, b.dtype(), batch, b.size(-2), b.size(-1));
    }
}
