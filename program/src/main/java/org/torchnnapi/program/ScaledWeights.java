package org.torchnnapi.program;

/** Weights times factors; see {@link Weights#scaled}. */
record ScaledWeights(Weights weights, float[] factors) implements Weights {
    @Override
    public int length() {
        return weights.length();
    }

    @Override
    public float[] values() {
        float[] values = weights.copy();
        int each = values.length / factors.length;
        for (int part = 0; part < factors.length; part++) {
            for (int i = part * each; i < (part + 1) * each; i++) {
                values[i] *= factors[part];
            }
        }
        return values;
    }

    @Override
    public float[] copy() {
        return values();
    }
}
