package org.torchnnapi.cli.bench;

import java.util.Arrays;

/** Measured times of one model, in microseconds. */
record Latencies(double[] micros) {
    double total() {
        return Arrays.stream(micros).sum();
    }

    double mean() {
        return total() / micros.length;
    }

    /** Smallest value that at least {@code percent} % of the measurements do not exceed (nearest rank). */
    double percentile(double percent) {
        if (micros.length == 0) {
            return Double.NaN;
        }
        double[] sorted = micros.clone();
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.max(rank, 1) - 1];
    }
}
