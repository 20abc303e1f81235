package org.torchnnapi.kernels;

/** What a rule makes of weights; see {@link Weights#made}. */
record MadeWeights(Weights from, Weights.Rule rule) implements Weights {
    @Override
    public int length() {
        return rule.length(from.length());
    }

    @Override
    public float[] values() {
        return rule.of(from.values());
    }

    @Override
    public WeightsOrigin origin() {
        WeightsOrigin origin = from.origin();
        return origin == null ? null : origin.then(rule);
    }
}
