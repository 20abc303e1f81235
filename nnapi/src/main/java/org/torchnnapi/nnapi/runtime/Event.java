package org.torchnnapi.nnapi.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** The end of an execution that runs on its own: to be waited for, or to be a dependency of others. Thread-safe. */
public final class Event {
    final CompletableFuture<Void> completion;

    Event(CompletableFuture<Void> completion) {
        this.completion = completion;
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
        return cause instanceof NnapiException nnapi ? nnapi : new NnapiException(ResultCode.OP_FAILED, "execution: " + cause, cause);
    }
}
