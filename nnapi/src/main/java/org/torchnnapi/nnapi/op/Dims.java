package org.torchnnapi.nnapi.op;

/** Arithmetic on shapes. */
public final class Dims {
    private Dims() {}

    /** Number of elements of {@code dims[from..to)}; 1 for an empty range. */
    public static int product(int[] dims, int from, int to) {
        int product = 1;
        for (int i = from; i < to; i++) {
            product = Math.multiplyExact(product, dims[i]);
        }
        return product;
    }

    public static int product(int[] dims) {
        return product(dims, 0, dims.length);
    }

    /** Row-major distances between neighbours along each axis, in elements. */
    public static int[] strides(int[] dims) {
        int[] strides = new int[dims.length];
        int stride = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            strides[i] = stride;
            stride *= dims[i];
        }
        return strides;
    }

    /** The shape two operands broadcast to (axes aligned at the end, a size of 1 stretches), or null if they do not. */
    public static int[] broadcast(int[] a, int[] b) {
        int rank = Math.max(a.length, b.length);
        int[] result = new int[rank];
        for (int i = 0; i < rank; i++) {
            int sizeA = i < rank - a.length ? 1 : a[i - rank + a.length];
            int sizeB = i < rank - b.length ? 1 : b[i - rank + b.length];
            if (sizeA != sizeB && sizeA != 1 && sizeB != 1) {
                return null;
            }
            result[i] = sizeA == 1 ? sizeB : sizeA;
        }
        return result;
    }

    /**
     * Strides for reading {@code dims} as if it had the shape {@code target} it broadcasts to: 0 where it is stretched.
     */
    public static int[] broadcastStrides(int[] dims, int[] target) {
        int[] own = strides(dims);
        int[] result = new int[target.length];
        int offset = target.length - dims.length;
        for (int i = 0; i < dims.length; i++) {
            result[i + offset] = dims[i] == 1 ? 0 : own[i];
        }
        return result;
    }

    /** Advances a row-major position by one; past the end it is all zeros again. */
    public static void next(int[] position, int[] dims) {
        for (int i = dims.length - 1; i >= 0; i--) {
            if (++position[i] < dims[i]) {
                return;
            }
            position[i] = 0;
        }
    }

    /** The element offset of a position. */
    public static int offset(int[] position, int[] strides) {
        int offset = 0;
        for (int i = 0; i < position.length; i++) {
            offset += position[i] * strides[i];
        }
        return offset;
    }
}
