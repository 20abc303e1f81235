package org.torchnnapi.quantizer;

/**
 * Quantiles of all values, out of counts in bins of one width. The range of the bins doubles when a value lies outside,
 * pairs of bins becoming one, so that nothing but the counts is kept.
 */
final class PercentileObserver implements Observer {
    /** The share of values outside the range, on each side. */
    private static final double OUTSIDE = 1e-4;

    private static final int HALF = 1 << 13;

    private final MinMaxObserver ends = new MinMaxObserver();
    private long[] counts = new long[2 * HALF];
    /** Values from {@code -reach} to {@code reach} have bins; a power of two. */
    private double reach = Math.scalb(1.0, -20);

    private long total;

    @Override
    public void observe(float[] values) {
        ends.observe(values);
        Range range = ends.range();
        while (Math.max(Math.abs(range.min()), Math.abs(range.max())) >= reach) {
            widen();
        }
        double perUnit = HALF / reach;
        for (float value : values) {
            counts[HALF + (int) Math.floor(value * perUnit)]++;
        }
        total += values.length;
    }

    private void widen() {
        long[] wider = new long[counts.length];
        for (int i = 0; i < counts.length; i++) {
            wider[HALF + Math.floorDiv(i - HALF, 2)] += counts[i];
        }
        counts = wider;
        reach *= 2;
    }

    @Override
    public Range range() {
        long dropped = (long) (total * OUTSIDE);
        int low = 0;
        for (long below = counts[0]; below <= dropped; below += counts[low]) {
            low++;
        }
        int high = counts.length - 1;
        for (long above = counts[high]; above <= dropped; above += counts[high]) {
            high--;
        }
        double width = reach / HALF;
        Range all = ends.range();
        return new Range(Math.max(all.min(), (float) ((low - HALF) * width)), Math.min(all.max(), (float)
                ((high + 1 - HALF) * width)));
    }
}
