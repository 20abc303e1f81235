package org.torchnnapi.kernels;

import java.util.Arrays;

/** A factor for each of as many equal parts; see {@link Weights#scaled}. */
record WeightScaling(float[] factors) implements Weights.Rule {
    @Override
    public int length(int given) {
        return given;
    }

    @Override
    public float[] of(float[] given) {
        float[] scaled = new float[given.length];
        ElementwiseOps.perChannel(
                BinaryOp.MUL,
                ImageLayout.NCHW,
                factors.length,
                given.length / factors.length,
                given,
                0,
                factors,
                0,
                scaled,
                0,
                Clamp.NONE);
        return scaled;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WeightScaling scaling && Arrays.equals(factors, scaling.factors);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(factors);
    }
}
