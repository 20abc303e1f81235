package org.torchnnapi.tensor.platform;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/** Reads from streams, none of which it closes. */
public final class InputStreams {
    private static final int PART = 16 << 10;

    private InputStreams() {}

    /** Every byte up to the stream's end. */
    public static byte[] readAll(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(Math.max(PART, in.available()));
        copy(in, all);
        return all.toByteArray();
    }

    /** The next bytes, fewer only where the stream ends before. */
    public static byte[] read(InputStream in, int count) throws IOException {
        byte[] bytes = new byte[count];
        int read = 0;
        while (read < count) {
            int more = in.read(bytes, read, count - read);
            if (more < 0) {
                return Arrays.copyOf(bytes, read);
            }
            read += more;
        }
        return bytes;
    }

    /** Writes every byte up to the stream's end to another stream. */
    public static void copy(InputStream in, OutputStream out) throws IOException {
        byte[] part = new byte[PART];
        for (int count = in.read(part); count >= 0; count = in.read(part)) {
            out.write(part, 0, count);
        }
    }
}
