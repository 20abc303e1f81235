//@ classes DepthwiseKernel:
package org.torchnnapi.kernels.internal.vector;

/** The choice among the generated depthwise tiles by stride, kernel and ending. */
final class DepthwiseKernel {
    static final int POSITIVE = 1;
    static final int STRIDE_2 = 2;
    static final int THREE = 4;
    /** How many kinds there are. */
    static final int KINDS = 8;

    private DepthwiseKernel() {
    }

    /**
     * @param kind a sum of {@link #POSITIVE}, {@link #STRIDE_2} and {@link #THREE}; the rest as the tile's own
     *     parameters
     * @param taps where the input under each tap lies from {@code base}; those of a row of a 3x3 kernel are V apart
     */
    static void run(
            int kind, float[] in, int base, int[] taps, float[] w, int wAt, float[] bias, int biasAt, float[] out,
            int outAt, int min, int max) {
        switch (kind) {
            //@ each call in 0 -> DepthwiseTile1.plain, POSITIVE -> DepthwiseTile1.positive,
            //@     STRIDE_2 -> DepthwiseTile2.plain, STRIDE_2 + POSITIVE -> DepthwiseTile2.positive
            case ${call}Any(in, base, taps, w, wAt, bias, biasAt, out, outAt, min, max);
            //@ end
            //@ each call in THREE -> DepthwiseTile1.plain, THREE + POSITIVE -> DepthwiseTile1.positive,
            //@     THREE + STRIDE_2 -> DepthwiseTile2.plain, THREE + STRIDE_2 + POSITIVE -> DepthwiseTile2.positive
            case ${call}Three(in, base + taps[0], base + taps[3], base + taps[6], w, wAt, bias, biasAt, out, outAt,
                    min, max);
            //@ end
            default -> throw new IllegalArgumentException("kind: " + kind + " (expected: 0 to 7)");
        }
    }
}
