package org.torchnnapi.quantizer;

/** The least and the greatest value of all. */
final class MinMaxObserver implements Observer {
    private float min = Float.POSITIVE_INFINITY;
    private float max = Float.NEGATIVE_INFINITY;

    @Override
    public void observe(float[] values) {
        for (float value : values) {
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
    }

    @Override
    public Range range() {
        return new Range(min, max);
    }
}
