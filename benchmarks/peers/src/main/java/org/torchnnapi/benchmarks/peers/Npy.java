package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A float32 array in C order from a NumPy file of version 1. */
record Npy(long[] shape, float[] values) {
    private static final Pattern HEADER = Pattern.compile("'descr': '<f4'.*'fortran_order': False.*'shape': \\(([0-9, ]*)\\)");
    private static final int MAGIC_AND_VERSION = 8;

    static Npy read(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        int length = Short.toUnsignedInt(bytes.getShort(MAGIC_AND_VERSION));
        int start = MAGIC_AND_VERSION + Short.BYTES;
        String header = new String(bytes.array(), start, length, StandardCharsets.US_ASCII);
        Matcher matcher = HEADER.matcher(header);
        if (!matcher.find()) {
            throw new IOException(file + ": " + header.strip() + " (expected: float32 in C order)");
        }
        long[] shape = Arrays.stream(matcher.group(1).split(",")).map(String::strip).filter(s -> !s.isEmpty())
                .mapToLong(Long::parseLong).toArray();
        float[] values = new float[(int) Arrays.stream(shape).reduce(1, Math::multiplyExact)];
        bytes.position(start + length).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return new Npy(shape, values);
    }
}
