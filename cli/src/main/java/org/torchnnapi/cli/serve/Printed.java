package org.torchnnapi.cli.serve;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import org.torchnnapi.cli.io.ShownStream;

/**
 * What commands print while they work for a page: it takes the places of standard output and standard error, one job
 * after the other. A model may print without end, so what is kept has a bound.
 */
final class Printed implements AutoCloseable {
    private static final int MOST_BYTES = 1 << 18;
    private static final String CUT = "\n(what was printed further is left out)\n";

    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Printed() {
        try {
            PrintStream both = new ShownStream(new Bounded(), StandardCharsets.UTF_8.name());
            System.setOut(both);
            System.setErr(both);
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException("UTF-8: absent (expected: in every Java)", e);
        }
    }

    String text() {
        synchronized (bytes) {
            String text = bytes.toString(StandardCharsets.UTF_8);
            return bytes.size() < MOST_BYTES ? text : text + CUT;
        }
    }

    /** Puts back what was there before. */
    @Override
    public void close() {
        System.setOut(out);
        System.setErr(err);
    }

    private final class Bounded extends OutputStream {
        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int start, int count) {
            synchronized (bytes) {
                bytes.write(from, start, Math.min(count, MOST_BYTES - bytes.size()));
            }
        }
    }
}
