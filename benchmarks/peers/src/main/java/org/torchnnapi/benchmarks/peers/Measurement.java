package org.torchnnapi.benchmarks.peers;

import java.util.Arrays;
import java.util.Locale;

/**
 * What one engine did with one model.
 *
 * @param median of one inference, in milliseconds
 * @param minimum likewise
 * @param difference largest difference from PyTorch's output, as a fraction of the largest value there
 * @param comparable whether the engine computes what PyTorch computes, within {@link #tolerance}, or differs on purpose
 */
record Measurement(
        String model,
        int threads,
        String engine,
        boolean ours,
        double median,
        double minimum,
        double difference,
        boolean comparable) {
    static final String HEADER = "model,threads,engine,ours,median_ms,min_ms,difference,comparable";
    private static final double FLOAT_TOLERANCE = 1e-3;
    /**
     * Engines round differently after each layer, and a network with random weights, whose outputs lie close together,
     * makes much of steps of 1/255 of a layer's range: ONNX Runtime comes to 0.23.
     */
    private static final double INT8_TOLERANCE = 0.25;

    private static final double NANOS = 1e6;

    static Measurement of(BenchmarkModel model, int threads, Contender contender, long[] nanos, double difference) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Measurement(
                model.name(),
                threads,
                contender.toString(),
                contender.isOurs(),
                sorted[sorted.length / 2] / NANOS,
                sorted[0] / NANOS,
                difference,
                contender.hasOtherOutputs() || difference <= tolerance(model));
    }

    /** As a line of comma-separated values under {@link #HEADER}. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%s,%d,%s,%b,%.4f,%.4f,%.2e,%b",
                model,
                threads,
                engine,
                ours,
                median,
                minimum,
                difference,
                comparable);
    }

    /** The inverse of {@link #line}. */
    static Measurement parse(String line) {
        String[] cells = line.split(",");
        return new Measurement(
                cells[0],
                Integer.parseInt(cells[1]),
                cells[2],
                Boolean.parseBoolean(cells[3]),
                Double.parseDouble(cells[4]),
                Double.parseDouble(cells[5]),
                Double.parseDouble(cells[6]),
                Boolean.parseBoolean(cells[7]));
    }

    private static double tolerance(BenchmarkModel model) {
        return model.isInt8() ? INT8_TOLERANCE : FLOAT_TOLERANCE;
    }
}
