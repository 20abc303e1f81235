package org.torchnnapi.nnapi.driver;

import java.util.concurrent.TimeUnit;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** What may stop an execution from outside: a deadline and cancellation. A driver asks {@link #check} between steps. */
public final class ExecutionControl {
    /** The specification's default for one loop. */
    public static final long DEFAULT_LOOP_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private boolean limited;
    private long deadline;
    private long loopTimeoutNanos = DEFAULT_LOOP_TIMEOUT_NANOS;
    private volatile boolean cancelled;

    public ExecutionControl() {}

    /** Sets the deadline on the scale of {@link System#nanoTime}. */
    public void deadline(long nanoTime) {
        limited = true;
        deadline = nanoTime;
    }

    /** Takes deadline and cancellation back: another execution begins. The loop timeout stays. */
    public void renew() {
        limited = false;
        cancelled = false;
    }

    public boolean hasDeadline() {
        return limited;
    }

    public long deadline() {
        return deadline;
    }

    /** Sets how long one WHILE may take, in nanoseconds. */
    public void loopTimeoutNanos(long nanos) {
        loopTimeoutNanos = nanos;
    }

    /** How long one WHILE may take. */
    public long loopTimeoutNanos() {
        return loopTimeoutNanos;
    }

    /** Asks the execution to stop at its next check; safe from any thread. */
    public void cancel() {
        cancelled = true;
    }

    public boolean isCancelled() {
        return cancelled;
    }

    /** @throws NnapiException MISSED_DEADLINE_TRANSIENT past the deadline, OP_FAILED when cancelled */
    public void check() {
        if (cancelled) {
            throw new NnapiException(ResultCode.OP_FAILED, "execution: cancelled");
        }
        if (limited && System.nanoTime() - deadline > 0) {
            throw new NnapiException(ResultCode.MISSED_DEADLINE_TRANSIENT, "execution: past its deadline");
        }
    }
}
