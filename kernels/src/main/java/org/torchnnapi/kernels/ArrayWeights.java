package org.torchnnapi.kernels;

/** Weights on the heap. */
record ArrayWeights(float[] values) implements Weights {
    @Override
    public int length() {
        return values.length;
    }
}
