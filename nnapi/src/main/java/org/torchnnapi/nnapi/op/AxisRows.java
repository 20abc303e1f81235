package org.torchnnapi.nnapi.op;

/**
 * The rows of a tensor along one axis, for operations that work on each by itself.
 *
 * @param count number of rows
 * @param size elements of a row
 * @param stride distance of neighbours in a row, in elements
 */
record AxisRows(int count, int size, int stride) {
    static AxisRows of(int[] dims, int axis) {
        int stride = Dims.product(dims, axis + 1, dims.length);
        return new AxisRows(Dims.product(dims, 0, axis) * stride, dims[axis], stride);
    }

    /** The index of element {@code position} of row {@code row}. */
    int index(int row, int position) {
        return (row / stride * size + position) * stride + row % stride;
    }
}
