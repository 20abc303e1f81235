package org.torchnnapi.nnapi.driver;

import java.util.List;

/**
 * A model made ready by a driver: the one verb is execute. Executions may come from several threads at once; the driver
 * serialises them if it must.
 */
public interface PreparedModel extends AutoCloseable {
    /**
     * Runs the model on the bound inputs and outputs, and reports the outputs' shapes in the request. Asks
     * {@link ExecutionControl#check} now and then. Where the request says that it is timed, reports how long the
     * hardware worked, if that is known. Keeps no reference to the request or its buffers. Outputs whose shape the
     * model settles have room; others may be too small.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException OUTPUT_INSUFFICIENT_SIZE if an output buffer is too small (its
     *     shape is reported all the same), or another result code
     */
    void execute(ExecutionRequest request);

    /** What it keeps for executions in quick succession; null if that is nothing. */
    default BurstState openBurst() {
        return null;
    }

    /**
     * Whether {@link #executeBehind} leaves the wait to the device; if not, the runtime waits and calls
     * {@link #execute}.
     */
    default boolean takesFences() {
        return false;
    }

    /**
     * Starts an execution behind fences. Request and buffers are the driver's until the fence that it returns.
     *
     * @return the end of the execution
     */
    default Fence executeBehind(ExecutionRequest request, List<Fence> fences) {
        fences.forEach(Fence::await);
        execute(request);
        return Fence.SIGNALED;
    }

    /**
     * What another process may start from instead of preparing anew (see {@link PrepareOptions#cached}), or null. Asked
     * for once at most, and only where the driver {@linkplain Driver#keepsCacheData keeps such data}; several files
     * become one by {@link CacheFiles}.
     */
    default byte[] cacheData() {
        return null;
    }

    /**
     * Whether it was started from {@link PrepareOptions#cached}; data that it was not started from are replaced by its
     * own.
     */
    default boolean isFromCache() {
        return false;
    }

    /** What the driver holds for this model, as far as it knows. */
    default DeviceMemory memory() {
        return DeviceMemory.NONE;
    }

    /**
     * Starts to measure the pieces of the executions to come, from nothing, if the driver can. No execution is running.
     */
    default void profile() {}

    /**
     * What the pieces took since {@link #profile}; empty if the driver does not measure them. No execution is running.
     */
    default List<StepTime> stepTimes() {
        return List.of();
    }

    /** Frees what the driver holds; no execution is running or will come. */
    @Override
    void close();
}
