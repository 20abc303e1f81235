package org.torchnnapi.cli.io;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.torchnnapi.tensor.platform.Strings;

/**
 * One line that is rewritten while long work goes on; silent unless a person looks at a terminal, or the thread's work
 * is followed by a listener.
 */
public final class Progress implements AutoCloseable {
    private static final long INTERVAL_NANOS = 100_000_000;
    private static final long NANOS_OF_SECOND = 1_000_000_000;

    private static final ThreadLocal<Listener> FOLLOWED = new ThreadLocal<>();

    /** Follows work, called by the thread that does it. */
    @FunctionalInterface
    public interface Listener {
        /** @param total 0 where nobody knows how far the work is */
        void at(String label, long done, long total);
    }

    private final PrintStream out;
    private final boolean visible;
    private final Listener listener = FOLLOWED.get();
    private long lastShown;
    private int lastLength;

    /** Progress on standard error, visible only when that is a terminal. */
    public Progress() {
        // Of its own, as what System.err prints has no carriage return.
        this(new PrintStream(System.err), Terminal.isThere());
    }

    Progress(PrintStream out, boolean visible) {
        this.out = out;
        this.visible = visible;
    }

    /** Tells a listener, or null, of all work that this thread begins from now on. */
    public static void follow(Listener listener) {
        FOLLOWED.set(listener);
    }

    /** Shows {@code label done/total}, at most ten times a second. */
    public void update(String label, long done, long total) {
        tell(label, done, total);
        long now = System.nanoTime();
        if (!visible || now - lastShown < INTERVAL_NANOS && done < total) {
            return;
        }
        lastShown = now;
        String line = ShownText.line(total > 0 ? label + " " + done + "/" + total : label);
        out.print("\r" + line + Strings.repeat(" ", Math.max(0, lastLength - line.length())));
        out.flush();
        lastLength = line.length();
    }

    private void tell(String label, long done, long total) {
        if (listener != null) {
            listener.at(label, done, total);
        }
    }

    /**
     * Does work that cannot tell how far it is, and shows how long it has been going on.
     *
     * @throws RuntimeException what the work throws
     */
    public <T> T during(String label, Supplier<T> work) {
        if (!visible) {
            tell(label, 0, 0);
            return work.get();
        }
        AtomicBoolean done = new AtomicBoolean();
        long start = System.nanoTime();
        Thread clock = new Thread(
                () -> {
                    while (!done.get()) {
                        long seconds = (System.nanoTime() - start) / NANOS_OF_SECOND;
                        synchronized (this) {
                            if (!done.get()) {
                                update(label + (seconds > 0 ? " " + seconds + " s" : ""), 0, 0);
                            }
                        }
                        LockSupport.parkNanos(INTERVAL_NANOS);
                    }
                },
                "progress");
        clock.setDaemon(true);
        clock.start();
        try {
            return work.get();
        } finally {
            synchronized (this) {
                done.set(true);
            }
            LockSupport.unpark(clock);
        }
    }

    @Override
    public void close() {
        if (lastLength > 0) {
            out.print("\r" + Strings.repeat(" ", lastLength) + "\r");
            out.flush();
        }
    }
}
