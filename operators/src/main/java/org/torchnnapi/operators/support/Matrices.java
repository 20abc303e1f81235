package org.torchnnapi.operators.support;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Batches of matrices as tensors: the last two dimensions are rows and columns. */
public final class Matrices {
    private Matrices() {}

    /** The tensor if it holds matrices of float32, float64 or complex numbers. */
    public static Tensor check(Tensor t, String name) {
        boolean suited = t.dtype().part() == DType.FLOAT32 || t.dtype().part() == DType.FLOAT64;
        if (t.rank() < 2 || !suited) {
            throw new IllegalArgumentException(
                    name + ": The input tensor A must have at least 2 dimensions and be floating or complex, but it is "
                            + t + " (expected: float32, float64, complex64 or complex128)");
        }
        return t;
    }

    /** As {@link #check}, of square matrices. */
    public static Tensor checkSquare(Tensor t, String name) {
        check(t, name);
        if (t.size(-1) != t.size(-2)) {
            throw new IllegalArgumentException(name + ": A must be batches of square matrices, but they are "
                    + t.size(-2) + " by " + t.size(-1) + " matrices");
        }
        return t;
    }

    /**
     * The sizes before the last two.
     *
     * @throws IllegalArgumentException if there are no two
     */
    public static int[] batch(Tensor t) {
        if (t.rank() < 2) {
            throw new IllegalArgumentException(
                    "matrices: " + Arrays.toString(t.sizes()) + " (expected: at least 2 dimensions)");
        }
        return Arrays.copyOf(t.sizes(), t.rank() - 2);
    }

    public static int[] sizes(int[] batch, int... last) {
        int[] sizes = Arrays.copyOf(batch, batch.length + last.length);
        System.arraycopy(last, 0, sizes, batch.length, last.length);
        return sizes;
    }

    /** The matrices of a batch, in row-major order. */
    public static Matrix[] read(Tensor t) {
        Matrix[] all = new Matrix[Tensors.count(batch(t))];
        int rows = t.size(-2);
        int columns = t.size(-1);
        Tensors.requireRoom("matrices", Matrix.BYTES * all.length + 2 * Double.BYTES * t.numel());
        boolean complex = t.dtype().isComplex();
        double[] parts = complex ? parts(t) : Elements.doubles(t);
        for (int b = 0, at = 0; b < all.length; b++) {
            all[b] = new Matrix(rows, columns);
            for (int i = 0; i < rows * columns; i++) {
                all[b].re[i] = parts[at++];
                all[b].im[i] = complex ? parts[at++] : 0;
            }
        }
        return all;
    }

    private static double[] parts(Tensor complex) {
        Tensor dense = complex.copy(MemoryFormat.CONTIGUOUS);
        int[] sizes = sizes(dense.sizes(), 2);
        return Elements.doubles(Tensor.of(dense.dtype().part(), dense.storage().array(), sizes));
    }

    /** Matrices as a tensor of that type, column by column as LAPACK has them; imaginary parts go where it is real. */
    public static Tensor write(Matrix[] all, DType type, int[] batch, int rows, int columns) {
        Tensor out = Tensors.empty(type, sizes(batch, columns, rows));
        Object array = out.storage().array();
        int at = 0;
        for (Matrix m : all) {
            for (int c = 0; c < columns; c++) {
                for (int r = 0; r < rows; r++) {
                    at = put(array, at, m.re[m.at(r, c)]);
                    at = type.isComplex() ? put(array, at, m.im[m.at(r, c)]) : at;
                }
            }
        }
        return turned(out);
    }

    /** A view of matrices whose rows are columns. */
    public static Tensor turned(Tensor t) {
        int[] order = IntStream.range(0, t.rank()).toArray();
        order[t.rank() - 1] = t.rank() - 2;
        order[t.rank() - 2] = t.rank() - 1;
        return t.permute(order);
    }

    /** A copy of matrices that lie column by column, as LAPACK's do. */
    public static Tensor byColumns(Tensor t) {
        return turned(turned(t).copy(MemoryFormat.CONTIGUOUS));
    }

    private static int put(Object array, int at, double value) {
        if (array instanceof float[] f) {
            f[at] = (float) value;
        } else {
            ((double[]) array)[at] = value;
        }
        return at + 1;
    }

    /** A function of each matrix. */
    public static Tensor map(Tensor t, int rows, int columns, Function<Matrix, Matrix> f) {
        return write(Arrays.stream(read(t)).map(f).toArray(Matrix[]::new), t.dtype(), batch(t), rows, columns);
    }

    /** A tensor whose batch is broadcast to another. */
    public static Tensor expand(Tensor t, int[] batch) {
        return BroadcastShapes.expand(t, sizes(batch, t.size(-2), t.size(-1)));
    }
}
