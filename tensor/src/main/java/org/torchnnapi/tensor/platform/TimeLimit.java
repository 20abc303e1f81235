package org.torchnnapi.tensor.platform;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts the thread that made it once a time is over, unless it is closed before; what the interpreter, compiled
 * programs and long kernels do then fails soon. For use by one thread, which is not left interrupted by it.
 */
public final class TimeLimit implements AutoCloseable {
    /** One thread for all, made with the first limit. */
    private static final class Clock {
        static final ScheduledThreadPoolExecutor SHARED = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "torch-nnapi time limits");
            thread.setDaemon(true);
            return thread;
        });

        static {
            // Limits that nothing reached do not wait for their time.
            SHARED.setRemoveOnCancelPolicy(true);
        }
    }

    private final Thread limited = Thread.currentThread();
    private final Future<?> alarm;
    private boolean over;
    private boolean closed;

    /** @param time from now on */
    public TimeLimit(Duration time) {
        alarm = Clock.SHARED.schedule(this::pass, time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private synchronized void pass() {
        if (!closed) {
            over = true;
            limited.interrupt();
        }
    }

    /** Whether the thread was interrupted. */
    public synchronized boolean isOver() {
        return over;
    }

    @Override
    public synchronized void close() {
        alarm.cancel(false);
        if (over && !closed) {
            Thread.interrupted();
        }
        closed = true;
    }
}
