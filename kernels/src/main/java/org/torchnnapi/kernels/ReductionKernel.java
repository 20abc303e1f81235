package org.torchnnapi.kernels;

/** Reductions along one axis of {@code [outer][axis][inner]} floats to {@code [outer][inner]}. */
public enum ReductionKernel {
    SUM,
    MEAN,
    MAX,
    MIN,
    PROD;

    /**
     * Reduces the outer indexes [begin, end). Sums and means have the roundings of PyTorch's on one thread: partial
     * sums that are added up by cascades, so that the error hardly grows with the axis. An empty axis gives the neutral
     * element (0, 1, or an infinity; MEAN gives NaN).
     */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, int begin, int end) {
        Check.atLeast("axis", axis, 0);
        Check.atLeast("inner", inner, 0);
        Check.range(begin, end, Integer.MAX_VALUE);
        Check.room("input", in.length, inOffset, (long) end * axis * inner);
        Check.room("output", out.length, outOffset, (long) end * inner);
        Kernels.elements().reduce(this, in, inOffset, inner, out, outOffset, axis, inner, begin, end);
    }

    /** Reduces {@code rows} rows of {@code count} elements, which begin {@code step} apart, to one. */
    public void runRows(float[] in, int inOffset, int step, float[] out, int outOffset, int rows, int count) {
        Check.atLeast("rows", rows, 0);
        Check.atLeast("count", count, 1);
        Check.atLeast("step", step, count);
        Check.room("input", in.length, inOffset, rows == 0 ? 0 : (rows - 1L) * step + count);
        Check.room("output", out.length, outOffset, count);
        Kernels.elements().reduce(this, in, inOffset, step, out, outOffset, rows, count, 0, 1);
    }
}
