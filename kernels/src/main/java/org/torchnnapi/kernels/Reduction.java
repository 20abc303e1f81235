package org.torchnnapi.kernels;

/** Reductions along one axis of {@code [outer][axis][inner]} floats to {@code [outer][inner]}. */
public enum Reduction {
    SUM, MEAN, MAX, MIN, PROD;

    /**
     * Reduces the outer indexes [begin, end). Sums of a contiguous axis ({@code inner == 1}) are kept in double, others in float by
     * rows. An empty axis gives the neutral element (0, 1, or an infinity; MEAN gives NaN).
     */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, int begin, int end) {
        Check.atLeast("axis", axis, 0);
        Check.atLeast("inner", inner, 0);
        Check.range(begin, end, Integer.MAX_VALUE);
        Check.room("input", in.length, inOffset, (long) end * axis * inner);
        Check.room("output", out.length, outOffset, (long) end * inner);
        Kernels.elements().reduce(this, in, inOffset, out, outOffset, axis, inner, begin, end);
    }
}
