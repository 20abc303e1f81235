package org.torchnnapi.kernels;

/**
 * Sums of rows of adjacent floats, each times a weight of its own, such as an interpolation between the pixels of an
 * image.
 */
public final class WeightedRows {
    private WeightedRows() {}

    /**
     * {@code out[i] = sum over r < count of weights[r] * in[rows[r] + i]}.
     *
     * @param rows where each row begins; the first {@code count} of them, and of the weights, matter
     * @param size elements of a row
     * @param adding whether the sums are added to what is there
     */
    public static void sum(
            float[] in, int[] rows, float[] weights, int count, float[] out, int outOffset, int size, boolean adding) {
        Check.range(0, count, Math.min(rows.length, weights.length));
        for (int r = 0; r < count; r++) {
            Check.room("row", in.length, rows[r], size);
        }
        Check.room("output", out.length, outOffset, size);
        Kernels.elements().weightedRows(in, rows, weights, count, out, outOffset, size, adding);
    }
}
