package org.torchnnapi.nnapi.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** The end of an execution that runs on its own: to be waited for, or to be a dependency of others. Thread-safe. */
public final class Event {
    final CompletableFuture<Void> completion;
    /** The device's own, completed when it is known; null where there is none. */
    private final CompletableFuture<Fence> fence;

    Event(CompletableFuture<Void> completion) {
        this(completion, null);
    }

    Event(CompletableFuture<Void> completion, CompletableFuture<Fence> fence) {
        this.completion = completion;
        this.fence = fence;
    }

    /** What somebody else signals, to be waited for like the end of an execution. */
    public static Event of(Fence fence) {
        return new Event(
                CompletableFuture.runAsync(fence::await, Threads.executor()), CompletableFuture.completedFuture(fence));
    }

    /**
     * The event for devices; it is signalled when the execution has ended, well or badly, and then waiting for it says
     * which.
     */
    public Fence fence() {
        return new Fence() {
            @Override
            public void await() {
                Event.this.await();
            }

            @Override
            public boolean isSignaled() {
                return isDone();
            }

            @Override
            public int export() {
                return fence == null || fence.isCompletedExceptionally()
                        ? -1
                        : fence.join().export();
            }
        };
    }

    /** Whether the execution has ended, well or badly. */
    public boolean isDone() {
        return completion.isDone();
    }

    /**
     * Waits for the end.
     *
     * @throws NnapiException what the execution failed with
     */
    public void await() {
        try {
            completion.join();
        } catch (CompletionException e) {
            throw failure(e.getCause());
        }
    }

    /**
     * Waits for the end, but not for ever; the execution goes on.
     *
     * @return whether it has ended
     * @throws NnapiException what the execution failed with
     */
    public boolean await(Duration timeout) {
        try {
            completion.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    private static NnapiException failure(Throwable cause) {
        return cause instanceof NnapiException nnapi
                ? nnapi
                : new NnapiException(ResultCode.OP_FAILED, "execution: " + cause, cause);
    }
}
