package org.torchnnapi.kernels;

import java.util.Arrays;

/**
 * The elements of a tensor in another order of its dimensions. Dimensions that stay together are one; of the rest the innermost are copied as
 * runs, or turned as matrices.
 */
public final class Transpose {
    /** Elements a unit moves at least, where there are as many: a thread's share must be worth handing out. */
    private static final int GRAIN = 1 << 12;

    private final int size;
    /** The loops outside the copied runs or matrices, outermost first: extents and how far a step goes in either tensor. */
    private final int[] extents;
    private final int[] inSteps;
    private final int[] outSteps;
    /** A run of cols elements (rows 1), or a matrix whose rows are adjacent in the output and whose columns are in the input. */
    private final int rows;
    private final int cols;
    private final int inStep;
    private final int outStep;
    private final boolean turned;
    /** Matrices are cut across their rows into as many bands. */
    private final int bandRows;
    private final int bands;
    private final int outer;

    /** The tensor's dimensions in the output's order, merged, and how far a step along each goes in the input. */
    private record Merged(int[] dims, int[] steps) {
    }

    private Transpose(int[] dims, int[] order) {
        size = product(dims, 0, dims.length);
        Merged merged = size == 0 ? new Merged(new int[0], new int[0]) : merge(dims, order);
        int n = merged.dims.length;
        int innermost = innermostInput(merged);
        turned = n > 0 && merged.steps[n - 1] != 1;
        int loops = Math.max(0, turned ? n - 2 : n - 1);
        extents = new int[loops];
        inSteps = new int[loops];
        outSteps = new int[loops];
        for (int i = 0, k = 0; i < n - 1; i++) {
            if (turned && i == innermost) {
                continue;
            }
            extents[k] = merged.dims[i];
            inSteps[k] = merged.steps[i];
            outSteps[k++] = product(merged.dims, i + 1, n);
        }
        rows = turned ? merged.dims[n - 1] : 1;
        cols = n == 0 ? 1 : turned ? merged.dims[innermost] : merged.dims[n - 1];
        inStep = turned ? merged.steps[n - 1] : 0;
        outStep = turned ? product(merged.dims, innermost + 1, n) : 0;
        bandRows = Math.max(1, Math.min(rows, (GRAIN / Math.max(1, cols) + 15) / 16 * 16));
        bands = (rows + bandRows - 1) / bandRows;
        outer = size == 0 ? 0 : product(extents, 0, loops);
    }

    /**
     * @param order which of the input's dimensions each of the output's is
     * @throws IllegalArgumentException if {@code order} is no permutation of the dimensions
     */
    public static Transpose plan(int[] dims, int[] order) {
        int[] sorted = order.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < Math.max(dims.length, order.length); i++) {
            if (dims.length != order.length || sorted[i] != i) {
                throw new IllegalArgumentException("order: " + Arrays.toString(order) + " (expected: a permutation of 0 to "
                    + (dims.length - 1) + ")");
            }
        }
        return new Transpose(dims, order);
    }

    private static Merged merge(int[] dims, int[] order) {
        int[] outDims = new int[dims.length];
        int[] steps = new int[dims.length];
        int n = 0;
        for (int axis : order) {
            if (dims[axis] == 1) {
                continue;
            }
            int step = product(dims, axis + 1, dims.length);
            if (n > 0 && steps[n - 1] == step * dims[axis]) {
                outDims[n - 1] *= dims[axis];
                steps[n - 1] = step;
            } else {
                outDims[n] = dims[axis];
                steps[n++] = step;
            }
        }
        return new Merged(Arrays.copyOf(outDims, n), Arrays.copyOf(steps, n));
    }

    /** The dimension whose elements are adjacent in the input. */
    private static int innermostInput(Merged merged) {
        int least = 0;
        for (int i = 1; i < merged.steps.length; i++) {
            least = merged.steps[i] < merged.steps[least] ? i : least;
        }
        return least;
    }

    private static int product(int[] dims, int from, int to) {
        int product = 1;
        for (int i = from; i < to; i++) {
            product = Math.multiplyExact(product, dims[i]);
        }
        return product;
    }

    /** Shares the work can be cut into. */
    public int units() {
        return outer * bands;
    }

    /** Does units [begin, end) of a tensor of floats. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end);
        for (int unit = begin; unit < end; unit++) {
            int from = inOffset + place(unit / bands, inSteps);
            int to = outOffset + place(unit / bands, outSteps);
            if (!turned) {
                System.arraycopy(in, from, out, to, cols);
                continue;
            }
            int row = unit % bands * bandRows;
            Kernels.images().transpose(in, from + row * inStep, inStep, out, to + row, outStep, Math.min(bandRows, rows - row), cols);
        }
    }

    /** Does units [begin, end) of a tensor of bytes. */
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end);
        for (int unit = begin; unit < end; unit++) {
            int from = inOffset + place(unit / bands, inSteps);
            int to = outOffset + place(unit / bands, outSteps);
            if (!turned) {
                System.arraycopy(in, from, out, to, cols);
                continue;
            }
            int row = unit % bands * bandRows;
            Kernels.images().transpose(in, from + row * inStep, inStep, out, to + row, outStep, Math.min(bandRows, rows - row), cols);
        }
    }

    private int place(int index, int[] steps) {
        int place = 0;
        int rest = index;
        for (int i = extents.length - 1; i >= 0; i--) {
            place += rest % extents[i] * steps[i];
            rest /= extents[i];
        }
        return place;
    }

    private void check(int inLength, int inOffset, int outLength, int outOffset, int begin, int end) {
        Check.room("input", inLength, inOffset, size);
        Check.room("output", outLength, outOffset, size);
        Check.range(begin, end, units());
    }
}
