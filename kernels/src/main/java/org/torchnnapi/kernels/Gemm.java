package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.GemmKernel;
import org.torchnnapi.kernels.internal.GemmSpec;

/**
 * A product of two float matrices that both come at run time, {@code C = clamp(alpha * A * B + beta * C)}; A is m x k,
 * B is k x n. Strides count elements, so a transposed operand is one with its strides exchanged. (Constant weights are
 * better packed once, by a {@link FloatConv}.)
 */
public final class Gemm {
    private final GemmSpec spec;
    private final GemmKernel kernel;

    private Gemm(GemmSpec spec) {
        this.spec = spec;
        kernel = Kernels.floats().gemm(spec);
    }

    /** Row-major operands without gaps. */
    public static Gemm plan(int m, int n, int k) {
        return plan(m, n, k, k, 1, n, 1, n, 1, 0, Clamp.NONE);
    }

    /**
     * Any strides. C's columns are adjacent, its rows {@code cRow >= n} apart.
     *
     * @param beta 0 leaves C's former content unread
     */
    public static Gemm plan(
            int m,
            int n,
            int k,
            int aRow,
            int aCol,
            int bRow,
            int bCol,
            int cRow,
            float alpha,
            float beta,
            Clamp clamp) {
        Check.atLeast("m", m, 0);
        Check.atLeast("n", n, 0);
        Check.atLeast("k", k, 0);
        Check.atLeast("stride", Math.min(Math.min(aRow, aCol), Math.min(bRow, bCol)), 0);
        Check.atLeast("row stride of C", cRow, n);
        return new Gemm(new GemmSpec(m, n, k, aRow, aCol, bRow, bCol, cRow, alpha, beta, clamp));
    }

    /** Shares the work can be cut into. */
    public int units() {
        return kernel.units();
    }

    /** Does units [begin, end). */
    public void run(float[] a, int aOffset, float[] b, int bOffset, float[] c, int cOffset, int begin, int end) {
        Check.range(begin, end, units());
        if (begin == end) {
            return;
        }
        if (spec.k() > 0) {
            Check.room("A", a.length, aOffset, reach(spec.m(), spec.aRow(), spec.k(), spec.aCol()));
            Check.room("B", b.length, bOffset, reach(spec.k(), spec.bRow(), spec.n(), spec.bCol()));
        }
        Check.room("C", c.length, cOffset, reach(spec.m(), spec.cRow(), spec.n(), 1));
        kernel.run(a, aOffset, b, bOffset, c, cOffset, begin, end);
    }

    /** Does all of it over the threads of a pool. */
    public void run(float[] a, int aOffset, float[] b, int bOffset, float[] c, int cOffset, KernelPool pool) {
        pool.run(units(), (begin, end) -> run(a, aOffset, b, bOffset, c, cOffset, begin, end));
    }

    private static long reach(int rows, int rowStride, int cols, int colStride) {
        return (rows - 1L) * rowStride + (cols - 1L) * colStride + 1;
    }
}
