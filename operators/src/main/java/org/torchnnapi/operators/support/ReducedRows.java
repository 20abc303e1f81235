package org.torchnnapi.operators.support;

import java.util.Arrays;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * A tensor as rows to be reduced: the kept dimensions number the rows in row-major order, the reduced ones their
 * elements.
 *
 * @param view kept dimensions first, then the reduced ones
 * @param count number of rows
 * @param length elements in a row
 * @param squeezed sizes of the result without the reduced dimensions
 * @param kept sizes of the result with reduced dimensions of size 1
 */
public record ReducedRows(Tensor view, int count, int length, int[] squeezed, int[] kept) {

    /**
     * @param dims dimensions to reduce, possibly counted from the end; null or empty for all
     * @throws IllegalArgumentException if a dimension occurs twice
     */
    public static ReducedRows of(Tensor t, long[] dims) {
        int rank = t.rank();
        boolean[] reduced = reduced(rank, dims);
        int[] order = new int[rank];
        int at = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int d = 0; d < rank; d++) {
                if (reduced[d] == (pass == 1)) {
                    order[at++] = d;
                }
            }
        }
        int[] kept = t.sizes().clone();
        int length = 1;
        for (int d = 0; d < rank; d++) {
            if (reduced[d]) {
                length = Math.toIntExact((long) length * kept[d]);
                kept[d] = 1;
            }
        }
        int[] squeezed = new int[0];
        for (int d = 0; d < rank; d++) {
            if (!reduced[d]) {
                squeezed = Arrays.copyOf(squeezed, squeezed.length + 1);
                squeezed[squeezed.length - 1] = t.sizes()[d];
            }
        }
        return new ReducedRows(t.permute(order), Math.toIntExact(Shape.numel(squeezed)), length, squeezed, kept);
    }

    /**
     * Which of {@code rank} dimensions are reduced.
     *
     * @param dims dimensions to reduce, possibly counted from the end; null or empty for all
     * @throws IllegalArgumentException if a dimension occurs twice
     */
    public static boolean[] reduced(int rank, long[] dims) {
        boolean[] reduced = new boolean[rank];
        if (dims == null || dims.length == 0) {
            Arrays.fill(reduced, true);
            return reduced;
        }
        // A number has one dimension to name, and none to reduce.
        boolean[] named = rank == 0 ? new boolean[1] : reduced;
        for (long dim : dims) {
            int d = Shape.wrap(dim, rank);
            if (named[d]) {
                throw new IllegalArgumentException("dim " + d + " appears multiple times in the list of dims");
            }
            named[d] = true;
        }
        return reduced;
    }

    /** ReducedRows along one dimension. */
    public static ReducedRows along(Tensor t, long dim) {
        return of(t, new long[] {dim});
    }

    /** Sizes of the result. */
    public int[] sizes(boolean keepDims) {
        return keepDims ? kept : squeezed;
    }

    /** @throws IllegalArgumentException if rows are empty, for functions that have no value then */
    public ReducedRows requireElements(String function) {
        if (length == 0) {
            throw new IllegalArgumentException(function + "(): Expected reduction dim to have non-zero size.");
        }
        return this;
    }

    /** All elements, row after row. */
    public double[] doubles() {
        return Elements.doubles(view);
    }

    /** All elements, row after row. */
    public long[] longs() {
        return Elements.longs(view);
    }

    /** A function of each row of reals. */
    public Tensor reduce(DType type, boolean keepDims, ToDoubleFunction<double[]> f) {
        double[] all = doubles();
        double[] out = new double[count];
        double[] row = new double[length];
        for (int i = 0; i < count; i++) {
            System.arraycopy(all, i * length, row, 0, length);
            out[i] = f.applyAsDouble(row);
        }
        return Elements.ofDoubles(type, out, sizes(keepDims));
    }

    /** A function of each row of integers. */
    public Tensor reduceLongs(DType type, boolean keepDims, ToLongFunction<long[]> f) {
        long[] all = longs();
        long[] out = new long[count];
        long[] row = new long[length];
        for (int i = 0; i < count; i++) {
            System.arraycopy(all, i * length, row, 0, length);
            out[i] = f.applyAsLong(row);
        }
        return Elements.ofLongs(type, out, sizes(keepDims));
    }

    /**
     * Turns rows, computed along one dimension, back into a tensor of {@code sizes} with that dimension in its place.
     */
    public static Tensor scatterBack(Tensor rows, int dim) {
        int rank = rows.rank();
        if (rank <= 1) {
            return rows;
        }
        int[] order = new int[rank];
        for (int d = 0; d < rank; d++) {
            order[d] = d < dim ? d : d == dim ? rank - 1 : d - 1;
        }
        return rows.permute(order).contiguous();
    }
}
