package org.torchnnapi.fuzz;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Interrupts what takes long: a program may loop for ever by right, but no more than a second beyond an interrupt. It
 * may also ask for more memory than there is, and then has to be told so by the typed exception.
 */
final class InputTimeLimit {
    private static final long MILLIS = 100;
    /** Of the processor, as the machine may have other work. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final long BEYOND_NANOS = 1_000_000_000;
    private static final ClassLoadingMXBean CLASSES = ManagementFactory.getClassLoadingMXBean();
    /** A run that loads more, each of which the fuzzer instruments on the same thread, is not judged. */
    private static final long MOST_CLASSES = 20;

    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "deadline");
        thread.setDaemon(true);
        return thread;
    });

    /** Work that may be interrupted. */
    @FunctionalInterface
    interface Work {
        void run() throws Throwable;
    }

    private static boolean isWarm = true;

    private InputTimeLimit() {}

    /** Does what loads most classes, which the fuzzer instruments, for which nothing is too long. */
    static void warmUp(Work work) throws Throwable {
        isWarm = false;
        try {
            work.run();
        } finally {
            isWarm = true;
        }
    }

    /**
     * Does work; once more where it goes on too long, as a thread that shares its core with another counts for more.
     */
    static void run(Work work) throws Throwable {
        if (beyondNanos(work) <= BEYOND_NANOS) {
            return;
        }
        long beyond = beyondNanos(work);
        if (beyond > BEYOND_NANOS) {
            throw new IllegalStateException("went on for " + TimeUnit.NANOSECONDS.toMillis(beyond)
                    + " ms beyond its deadline (expected: at most a second)");
        }
    }

    /** @return what work takes of the processor beyond its interrupt; 0 where it is not judged */
    private static long beyondNanos(Work work) throws Throwable {
        Thread worker = Thread.currentThread();
        long loaded = CLASSES.getTotalLoadedClassCount();
        long start = THREADS.getCurrentThreadCpuTime();
        // Said before it is done, as the worker may find it before the clock is through with it.
        AtomicBoolean interrupted = new AtomicBoolean();
        ScheduledFuture<?> interrupt = CLOCK.schedule(
                () -> {
                    interrupted.set(true);
                    worker.interrupt();
                },
                MILLIS,
                TimeUnit.MILLISECONDS);
        try {
            try {
                work.run();
            } catch (CancellationException ended) {
                if (!interrupted.get()) {
                    throw ended;
                }
            }
            long taken = THREADS.getCurrentThreadCpuTime() - start;
            boolean isJudged = isWarm && CLASSES.getTotalLoadedClassCount() - loaded <= MOST_CLASSES;
            return isJudged ? taken - TimeUnit.MILLISECONDS.toNanos(MILLIS) : 0;
        } finally {
            interrupt.cancel(false);
            Thread.interrupted();
        }
    }
}
