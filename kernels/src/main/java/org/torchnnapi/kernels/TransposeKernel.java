package org.torchnnapi.kernels;

import java.util.Arrays;

/**
 * The elements of a tensor in another order of its dimensions. Dimensions that stay together are one; of the rest the
 * innermost are copied as runs, or turned as matrices.
 */
public final class TransposeKernel {
    /** Elements a unit moves at least, where there are as many: a thread's share must be worth handing out. */
    private static final int GRAIN = 1 << 12;
    /** Floats of a cache line: rows, which are adjacent in the output, are cut where a line ends. */
    private static final int LINE = 16;

    private final int size;
    /**
     * The loops outside the copied runs or matrices, outermost first: extents and how far a step goes in either tensor.
     */
    private final int[] extents;

    private final int[] inSteps;
    private final int[] outSteps;
    /**
     * A run of cols elements (rows 1), or a matrix whose rows are adjacent in the output and whose columns are in the
     * input.
     */
    private final int rows;

    private final int cols;
    private final int inStep;
    private final int outStep;
    private final boolean turned;
    /** Matrices are cut into bands of as many rows and columns, those of the same rows one after the other. */
    private final int bandRows;

    private final int bandCols;
    private final int colBands;
    private final int bands;
    private final int outer;

    private TransposeKernel(int[] dims, int[] order) {
        size = product(dims);
        StridedAxes merged = size == 0 ? new StridedAxes(new int[0], new int[0], new int[0]) : merge(dims, order);
        int n = merged.extents().length;
        int innermost = innermostInput(merged.inSteps());
        turned = n > 0 && merged.inSteps()[n - 1] != 1;
        int loops = Math.max(0, turned ? n - 2 : n - 1);
        extents = new int[loops];
        inSteps = new int[loops];
        outSteps = new int[loops];
        for (int i = 0, k = 0; i < n - 1; i++) {
            if (turned && i == innermost) {
                continue;
            }
            extents[k] = merged.extents()[i];
            inSteps[k] = merged.inSteps()[i];
            outSteps[k++] = merged.outSteps()[i];
        }
        rows = turned ? merged.extents()[n - 1] : 1;
        cols = n == 0 ? 1 : merged.extents()[turned ? innermost : n - 1];
        inStep = turned ? merged.inSteps()[n - 1] : 0;
        outStep = turned ? merged.outSteps()[innermost] : 0;
        bandRows = band(rows, cols);
        bandCols = turned ? band(cols, bandRows) : cols;
        colBands = (cols + bandCols - 1) / bandCols;
        bands = (rows + bandRows - 1) / bandRows * colBands;
        outer = size == 0 ? 0 : product(extents);
    }

    /**
     * @param order which of the input's dimensions each of the output's is
     * @throws IllegalArgumentException if {@code order} is no permutation of the dimensions
     */
    public static TransposeKernel plan(int[] dims, int[] order) {
        int[] sorted = order.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < Math.max(dims.length, order.length); i++) {
            if (dims.length != order.length || sorted[i] != i) {
                throw new IllegalArgumentException("order: " + Arrays.toString(order)
                        + " (expected: a permutation of 0 to " + (dims.length - 1) + ")");
            }
        }
        return new TransposeKernel(dims, order);
    }

    /** The dimensions in the output's order. */
    private static StridedAxes merge(int[] dims, int[] order) {
        int[] steps = StridedAxes.steps(dims);
        int[] outDims = new int[dims.length];
        int[] inSteps = new int[dims.length];
        for (int i = 0; i < order.length; i++) {
            outDims[i] = dims[order[i]];
            inSteps[i] = steps[order[i]];
        }
        return new StridedAxes(outDims, inSteps, StridedAxes.steps(outDims)).merged();
    }

    /** The dimension whose elements are adjacent in the input. */
    private static int innermostInput(int[] steps) {
        int least = 0;
        for (int i = 1; i < steps.length; i++) {
            least = steps[i] < steps[least] ? i : least;
        }
        return least;
    }

    /** Whole lines of {@code size} that make a unit's share beside {@code other} elements, at least one. */
    private static int band(int size, int other) {
        return Math.max(1, Math.min(size, (Math.max(1, GRAIN / Math.max(1, other)) + LINE - 1) / LINE * LINE));
    }

    private static int product(int[] dims) {
        int product = 1;
        for (int dim : dims) {
            product = Math.multiplyExact(product, dim);
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
        move(in, inOffset, out, outOffset, begin, end);
    }

    /** Does units [begin, end) of a tensor of bytes. */
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end);
        move(in, inOffset, out, outOffset, begin, end);
    }

    /** Units of two arrays of the same type. */
    private void move(Object in, int inOffset, Object out, int outOffset, int begin, int end) {
        for (int unit = begin; unit < end; unit++) {
            int from = inOffset + place(unit / bands, inSteps);
            int to = outOffset + place(unit / bands, outSteps);
            if (!turned) {
                System.arraycopy(in, from, out, to, cols);
                continue;
            }
            int row = unit % bands / colBands * bandRows;
            int col = unit % colBands * bandCols;
            int height = Math.min(bandRows, rows - row);
            int width = Math.min(bandCols, cols - col);
            int source = from + row * inStep + col;
            int target = to + row + col * outStep;
            if (in instanceof float[] floats) {
                Kernels.images().transpose(floats, source, inStep, (float[]) out, target, outStep, height, width);
            } else {
                Kernels.images().transpose((byte[]) in, source, inStep, (byte[]) out, target, outStep, height, width);
            }
        }
    }

    private int place(int index, int[] steps) {
        return StridedAxes.place(index, extents, extents.length, steps);
    }

    private void check(int inLength, int inOffset, int outLength, int outOffset, int begin, int end) {
        Check.room("input", inLength, inOffset, size);
        Check.room("output", outLength, outOffset, size);
        Check.range(begin, end, units());
    }
}
