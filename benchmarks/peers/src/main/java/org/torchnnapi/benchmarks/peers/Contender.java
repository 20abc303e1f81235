package org.torchnnapi.benchmarks.peers;

/** An engine in the comparison, or one way of using it. */
interface Contender {

    /** Name in tables, with the version where the engine tells it. */
    @Override
    String toString();

    /** Null if the engine has a form of this model to run, else why not. */
    String refusal(BenchmarkModel model);

    /**
     * Loads the model.
     *
     * @param threads threads that one inference may use
     */
    Session open(BenchmarkModel model, int threads) throws Exception;

    /**
     * By what {@link PeakProcess} finds a Java engine in a process of its own; null for one that runs in its own
     * anyway.
     */
    default String engine() {
        return null;
    }

    default boolean isOurs() {
        return false;
    }

    /** Whether the model computes something else than PyTorch's on purpose; then only its time counts. */
    default boolean hasOtherOutputs() {
        return false;
    }

    /** A loaded model with its input in place. */
    interface Session extends AutoCloseable {

        /** Runs one inference and returns its duration in nanoseconds. */
        long time() throws Exception;

        /** The first output of the last inference: dequantized, row-major. */
        float[] output() throws Exception;

        /** Peak resident size of the process that runs the model, in bytes. */
        default long peakBytes() throws Exception {
            return PeakMemory.ofThisProcess();
        }

        @Override
        void close();
    }
}
