package org.torchnnapi.kernels;

/** Softmax and its logarithm along one axis of {@code [outer][axis][inner]} floats. */
public final class SoftmaxKernel {
    private SoftmaxKernel() {}

    /**
     * {@code out = exp(beta * (x - max)) / sum}, for the outer indexes [begin, end). In and out may be the same. Native
     * kernels give 0 for results below the smallest normal float.
     *
     * @param beta the slope, > 0
     */
    public static void run(
            float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, float beta, int begin, int end) {
        check(in, inOffset, out, outOffset, axis, inner, begin, end);
        Kernels.elements().softmax(false, in, inOffset, out, outOffset, axis, inner, beta, begin, end);
    }

    /** {@code out = beta * (x - max) - log(sum)}, for the outer indexes [begin, end). In and out may be the same. */
    public static void runLog(
            float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, float beta, int begin, int end) {
        check(in, inOffset, out, outOffset, axis, inner, begin, end);
        Kernels.elements().softmax(true, in, inOffset, out, outOffset, axis, inner, beta, begin, end);
    }

    private static void check(
            float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, int begin, int end) {
        Check.atLeast("axis", axis, 1);
        Check.atLeast("inner", inner, 0);
        Check.range(begin, end, Integer.MAX_VALUE);
        long reach = (long) end * axis * inner;
        Check.room("input", in.length, inOffset, reach);
        Check.room("output", out.length, outOffset, reach);
    }
}
