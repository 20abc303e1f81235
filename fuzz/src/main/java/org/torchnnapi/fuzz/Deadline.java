package org.torchnnapi.fuzz;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts what takes long: a program may loop for ever by right, but not beyond an interrupt, which Jazzer's own time limit finds.
 * A program may also ask for more memory than there is, which is its own affair as long as the process lives on.
 */
final class Deadline {
    private static final long MILLIS = 100;
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

    private Deadline() {
    }

    static void run(Work work) throws Throwable {
        Thread worker = Thread.currentThread();
        ScheduledFuture<?> interrupt = CLOCK.schedule(worker::interrupt, MILLIS, TimeUnit.MILLISECONDS);
        try {
            work.run();
        } catch (OutOfMemoryError tooMuch) {
            // See above.
        } finally {
            interrupt.cancel(false);
            Thread.interrupted();
        }
    }
}
