package org.torchnnapi.converter.partial;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;

/**
 * What is known of a tensor whose first dimension has as many rows as elements decide when the model runs.
 *
 * @param count how many rows: one object for all tensors that have equally many
 * @param row the sizes behind the first dimension
 */
public record RowFacts(Count count, DType dtype, int[] row) {
    public RowFacts {
        row = row.clone();
    }

    /** A number of rows; each is one object. */
    public static final class Count {
        /** Nobody knows how many there may be. */
        static final int ANY = Integer.MAX_VALUE;

        private final int most;

        /**
         * @param most how many there are at most, as far as was seen: nothing depends on that but how many are computed
         *     at a time
         */
        Count(int most) {
            this.most = most;
        }

        public int most() {
            return most;
        }
    }

    /** The sizes behind the first dimension; a copy. */
    @Override
    public int[] row() {
        return row.clone();
    }

    int[] shape(int rows) {
        int[] shape = new int[row.length + 1];
        shape[0] = rows;
        System.arraycopy(row, 0, shape, 1, row.length);
        return shape;
    }

    /** The tensor where it has so many rows. */
    TensorFacts of(int rows) {
        return new TensorFacts(dtype, shape(rows), null);
    }

    /** Whether rows of both are alike. */
    boolean isLike(RowFacts other) {
        return dtype == other.dtype && Arrays.equals(row, other.row);
    }
}
