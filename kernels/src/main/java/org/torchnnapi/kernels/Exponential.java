package org.torchnnapi.kernels;

/** Exponentials in double, rounded to float. */
public final class Exponential {
    /** Two results that are both within a unit of the last place of the true one differ by less than this part. */
    private static final double UNCERTAINTY = 0x1p-50;

    private Exponential() {}

    /**
     * {@code (float) StrictMath.exp(x)}, to the bit, but in most cases by the processor's own means, which are several
     * times as fast.
     */
    public static float rounded(double x) {
        double near = Math.exp(x);
        float low = (float) (near * (1 - UNCERTAINTY));
        return low == (float) (near * (1 + UNCERTAINTY)) ? low : (float) StrictMath.exp(x);
    }
}
