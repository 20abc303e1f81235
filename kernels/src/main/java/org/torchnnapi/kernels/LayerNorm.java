package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.NormalizationProvider;

/**
 * Normalization of rows by their own mean and variance, {@code (x - mean) / sqrt(variance + epsilon) * scale + shift}
 * with a scale and a shift for each element of a row (Ba et al., Layer Normalization, 2016). The variance is over the
 * count, not one less.
 */
public final class LayerNorm {
    private final int count;
    private final float epsilon;
    private final float[] factors;

    private LayerNorm(int count, float epsilon, float[] factors) {
        this.count = count;
        this.epsilon = epsilon;
        this.factors = factors;
    }

    /**
     * @param count elements of a row, at least 1
     * @param epsilon above 0
     * @param scale one an element, or null for all 1
     * @param shift one an element, or null for all 0
     */
    public static LayerNorm plan(int count, float epsilon, float[] scale, float[] shift) {
        Check.atLeast("elements of a row", count, 1);
        Check.epsilon(epsilon);
        return new LayerNorm(count, epsilon, GroupNorm.factors(count, count, scale, shift));
    }

    /** Normalizes rows [begin, end), which lie one after the other. In and out may be the same. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Check.range(begin, end, Integer.MAX_VALUE);
        Check.room("input", in.length, inOffset, (long) end * count);
        Check.room("output", out.length, outOffset, (long) end * count);
        NormalizationProvider.chosen()
                .rows(true, 1, 1, count, epsilon, factors, in, inOffset, out, outOffset, begin, end);
    }
}
