package org.torchnnapi.nnapi.driver;

/**
 * What a driver keeps between executions in quick succession. One execution at a time, each as
 * {@link PreparedModel#execute}.
 */
public interface BurstState extends AutoCloseable {
    void execute(ExecutionRequest request);

    /** Gives it up, before the prepared model is closed. */
    @Override
    void close();
}
