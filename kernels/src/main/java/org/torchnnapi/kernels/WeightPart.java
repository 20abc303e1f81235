package org.torchnnapi.kernels;

import java.util.Arrays;

/** Weights from one place to before another; see {@link Weights#part}. */
record WeightPart(int from, int to) implements Weights.Rule {
    @Override
    public int length(int given) {
        return to - from;
    }

    @Override
    public float[] of(float[] given) {
        return Arrays.copyOfRange(given, from, to);
    }
}
