package org.torchnnapi.converter.check;

import java.time.Duration;

/**
 * Interrupts the thread that made it once a time is over, unless it is closed before; what the interpreter runs then fails soon. For use by
 * one thread, which is not left interrupted by it.
 */
public final class TimeLimit implements AutoCloseable {
    private final Thread limited = Thread.currentThread();
    private final Object lock = new Object();
    private boolean over;
    private boolean closed;

    /** @param time from now on */
    public TimeLimit(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        Thread watch = new Thread(() -> watch(end), "torch-nnapi-time-limit");
        watch.setDaemon(true);
        watch.start();
    }

    private void watch(long end) {
        synchronized (lock) {
            try {
                for (long left = end - System.nanoTime(); left > 0 && !closed; left = end - System.nanoTime()) {
                    // Zero would wait for ever.
                    lock.wait(left / 1_000_000 + 1);
                }
            } catch (InterruptedException e) {
                return;
            }
            if (!closed) {
                over = true;
                limited.interrupt();
            }
        }
    }

    /** Whether the thread was interrupted. */
    public boolean isOver() {
        synchronized (lock) {
            return over;
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
            if (over) {
                Thread.interrupted();
            }
        }
    }
}
