package org.torchnnapi.benchmarks.peers;

import java.util.Arrays;

/**
 * What one engine did with one model.
 *
 * @param median     of one inference, in milliseconds
 * @param minimum    likewise
 * @param difference largest difference from PyTorch's output, as a fraction of the largest value there
 * @param comparable whether the engine computes what PyTorch computes, within {@link #tolerance}, or differs on purpose
 */
record Measurement(String model, int threads, String engine, boolean ours, double median, double minimum, double difference,
                   boolean comparable) {
    private static final double FLOAT_TOLERANCE = 1e-3;
    /**
     * Engines round differently after each layer, and a network with random weights, whose outputs lie close together, makes much of
     * steps of 1/255 of a layer's range: ONNX Runtime comes to 0.23.
     */
    private static final double INT8_TOLERANCE = 0.25;
    private static final double NANOS = 1e6;

    static Measurement of(BenchmarkModel model, int threads, Contender contender, long[] nanos, double difference) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Measurement(model.name(), threads, contender.toString(), contender.isOurs(), sorted[sorted.length / 2] / NANOS,
                sorted[0] / NANOS, difference, contender.hasOtherOutputs() || difference <= tolerance(model));
    }

    private static double tolerance(BenchmarkModel model) {
        return model.isInt8() ? INT8_TOLERANCE : FLOAT_TOLERANCE;
    }
}
