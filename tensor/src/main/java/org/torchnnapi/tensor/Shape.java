package org.torchnnapi.tensor;

import java.util.Arrays;

/** Arithmetic on dimension arrays. Sizes count elements; strides count elements too. */
public final class Shape {
    /** Virtual machines keep a few words of the longest array for themselves. */
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private Shape() {}

    /**
     * Number of elements.
     *
     * @throws IllegalArgumentException if a dimension is negative or the product overflows 63 bits
     */
    public static long numel(int... sizes) {
        long product = 1;
        boolean empty = false;
        for (int size : sizes) {
            if (size < 0) {
                throw new IllegalArgumentException("shape: " + Arrays.toString(sizes) + " (expected: dimensions >= 0)");
            }
            empty |= size == 0;
        }
        if (empty) {
            return 0;
        }
        for (int size : sizes) {
            if (product > Long.MAX_VALUE / size) {
                throw new IllegalArgumentException(
                        "shape: " + Arrays.toString(sizes) + " (expected: fewer than 2^63 elements)");
            }
            product *= size;
        }
        return product;
    }

    /** Row-major strides; a dimension of size 0 counts as 1, as in PyTorch. */
    public static int[] contiguousStrides(int... sizes) {
        return stridesInOrder(sizes, identity(sizes.length));
    }

    /**
     * Dense strides for a memory format.
     *
     * @throws IllegalArgumentException if the rank is not the one the format is defined for (4 or 5)
     */
    public static int[] strides(MemoryFormat format, int... sizes) {
        return switch (format) {
            case CONTIGUOUS, PRESERVE -> contiguousStrides(sizes);
            case CHANNELS_LAST -> {
                requireRank(format, sizes, 4);
                yield stridesInOrder(sizes, 0, 2, 3, 1);
            }
            case CHANNELS_LAST_3D -> {
                requireRank(format, sizes, 5);
                yield stridesInOrder(sizes, 0, 2, 3, 4, 1);
            }
        };
    }

    /** Whether the strides are those of the format, ignoring dimensions of size 1. */
    public static boolean isContiguous(int[] sizes, int[] strides, MemoryFormat format) {
        int rank = sizes.length;
        boolean channelsLast = format == MemoryFormat.CHANNELS_LAST || format == MemoryFormat.CHANNELS_LAST_3D;
        if (channelsLast && rank != (format == MemoryFormat.CHANNELS_LAST ? 4 : 5)) {
            return false;
        }
        if (numel(sizes) == 0) {
            return true;
        }
        long expected = 1;
        for (int i = rank - 1; i >= 0; i--) {
            // Channels, dimension 1, come last.
            int d = !channelsLast || i == 0 ? i : i == rank - 1 ? 1 : i + 1;
            if (sizes[d] != 1) {
                if (strides[d] != expected) {
                    return false;
                }
                expected *= sizes[d];
            }
        }
        return true;
    }

    /**
     * Turns a dimension index that may count from the end into one that counts from the start.
     *
     * @throws IndexOutOfBoundsException if outside [-rank, rank)
     */
    public static int wrap(long dim, int rank) {
        int extent = Math.max(rank, 1);
        if (dim < -extent || dim >= extent) {
            throw new IndexOutOfBoundsException("Dimension out of range (expected to be in range of [" + -extent + ", "
                    + (extent - 1) + "], but got " + dim + ")");
        }
        return (int) (dim < 0 ? dim + extent : dim);
    }

    /**
     * Narrows 64-bit sizes of an archive or of TorchScript code.
     *
     * @throws IllegalArgumentException if a size does not fit 32 bits
     */
    public static int[] toInts(long... sizes) {
        int[] result = new int[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] != (int) sizes[i]) {
                throw new IllegalArgumentException("dimension: " + sizes[i] + " (expected: within 32 bits)");
            }
            result[i] = (int) sizes[i];
        }
        return result;
    }

    /**
     * The length of an array for so many elements: whatever counts by 64 bits becomes the size of an array by this.
     *
     * @param what the elements are, for the message
     * @throws IllegalArgumentException if no array has as many
     */
    public static int arrayLength(String what, long count) {
        if (count < 0 || count > MAX_ARRAY) {
            throw new IllegalArgumentException(what + ": " + count + " (expected: 0 to " + MAX_ARRAY + ")");
        }
        return (int) count;
    }

    /** The same sizes as PyTorch's API has them. */
    public static long[] toLongs(int... sizes) {
        return Arrays.stream(sizes).asLongStream().toArray();
    }

    private static int[] stridesInOrder(int[] sizes, int... order) {
        int[] strides = new int[sizes.length];
        long running = 1;
        for (int i = order.length - 1; i >= 0; i--) {
            strides[order[i]] = (int) Math.min(running, Integer.MAX_VALUE);
            running *= Math.max(sizes[order[i]], 1);
        }
        return strides;
    }

    private static int[] identity(int rank) {
        int[] order = new int[rank];
        Arrays.setAll(order, i -> i);
        return order;
    }

    private static void requireRank(MemoryFormat format, int[] sizes, int rank) {
        if (sizes.length != rank) {
            throw new IllegalArgumentException(
                    "rank: " + sizes.length + " (expected: " + rank + " for " + format + ")");
        }
    }
}
