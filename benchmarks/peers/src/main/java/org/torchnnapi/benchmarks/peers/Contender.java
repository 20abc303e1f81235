package org.torchnnapi.benchmarks.peers;

import java.nio.file.Path;

/** An engine in the comparison. */
interface Contender {

    /** Name in tables, with the version. */
    @Override
    String toString();

    /** Whether the engine has a form of this model to run. */
    boolean takes(BenchmarkModel model);

    /**
     * Loads the model.
     *
     * @param threads threads that one inference may use
     */
    Session open(BenchmarkModel model, int threads) throws Exception;

    /** A loaded model with its input in place. */
    interface Session extends AutoCloseable {

        /** Runs one inference and returns its duration in nanoseconds. */
        long time() throws Exception;

        /** The first output of the last inference, dequantized; empty where an engine does not tell. */
        float[] output() throws Exception;

        @Override
        void close();
    }

    /** A benchmark file of one model in a folder made by {@code make_models.py}. */
    record BenchmarkModel(String name, Path folder) {
        Path file(String suffix) {
            return folder.resolve(name + suffix);
        }
    }
}
