package org.torchnnapi.cli.io;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Standard output that remembers what kept it from being written: {@link PrintStream} tells nobody, and an answer that
 * went to a full disk would count as given. It prints {@link ShownText}, and so do standard error and the log from then
 * on.
 */
public final class StandardOutput {
    private static final int BUFFER = 1 << 13;

    private final PrintStream out;
    private final Remembering target;

    StandardOutput(OutputStream target, String encoding) {
        this.target = new Remembering(target);
        try {
            this.out = new ShownStream(new BufferedOutputStream(this.target, BUFFER), encoding);
        } catch (UnsupportedEncodingException e) {
            throw new IllegalArgumentException(
                    "encoding: " + encoding + " (expected: one of this virtual machine's)", e);
        }
    }

    /** Takes the place of {@link System#out} and {@link System#err} for the rest of the process. */
    public static StandardOutput install() {
        StandardOutput output = new StandardOutput(
                new FileOutputStream(FileDescriptor.out), System.getProperty("stdout.encoding", "UTF-8"));
        System.setOut(output.out);
        System.setErr(new StandardOutput(
                        new FileOutputStream(FileDescriptor.err), System.getProperty("stderr.encoding", "UTF-8"))
                .out);
        // What logs writes bytes.
        for (Handler handler : Logger.getLogger("").getHandlers()) {
            handler.setFormatter(shown(handler.getFormatter()));
        }
        return output;
    }

    /** What a formatter makes of records, as {@link ShownText}. */
    static Formatter shown(Formatter formatter) {
        return new Formatter() {
            @Override
            public String format(LogRecord entry) {
                return ShownText.of(formatter.format(entry));
            }

            @Override
            public String getHead(Handler handler) {
                return formatter.getHead(handler);
            }

            @Override
            public String getTail(Handler handler) {
                return formatter.getTail(handler);
            }
        };
    }

    PrintStream stream() {
        return out;
    }

    /**
     * Writes what is left, and says on standard error what kept any of it from being written.
     *
     * @param code the exit code of the work itself
     * @return that, or 1 where the work was done but its answer could not be written
     */
    public int ended(int code) {
        out.flush();
        IOException failure = target.failure;
        if (failure == null) {
            return code;
        }
        // Whoever reads the first lines only, as head does, wants no word about the others.
        if (failure.getMessage() == null || !failure.getMessage().contains("Broken pipe")) {
            System.err.println(
                    "standard output: cannot be written: " + failure.getMessage() + " (expected: room for the answer)");
        }
        return code == 0 ? 1 : code;
    }

    private static final class Remembering extends FilterOutputStream {
        private volatile IOException failure;

        Remembering(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            try {
                out.write(bytes, from, count);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }
    }
}
