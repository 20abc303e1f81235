package org.torchnnapi.cli.io;

import java.io.PrintStream;

/** One line that is rewritten while long work goes on; silent unless a person looks at a terminal. */
public final class Progress implements AutoCloseable {
    private static final long INTERVAL_NANOS = 100_000_000;

    private final PrintStream out;
    private final boolean visible;
    private long lastShown;
    private int lastLength;

    /** Progress on standard error, visible only when that is a terminal. */
    public Progress() {
        this(System.err, System.console() != null && System.console().isTerminal());
    }

    Progress(PrintStream out, boolean visible) {
        this.out = out;
        this.visible = visible;
    }

    /** Shows {@code label done/total}, at most ten times a second. */
    public void update(String label, long done, long total) {
        long now = System.nanoTime();
        if (!visible || now - lastShown < INTERVAL_NANOS && done < total) {
            return;
        }
        lastShown = now;
        String line = total > 0 ? label + " " + done + "/" + total : label;
        out.print("\r" + line + " ".repeat(Math.max(0, lastLength - line.length())));
        out.flush();
        lastLength = line.length();
    }

    @Override
    public void close() {
        if (lastLength > 0) {
            out.print("\r" + " ".repeat(lastLength) + "\r");
            out.flush();
        }
    }
}
