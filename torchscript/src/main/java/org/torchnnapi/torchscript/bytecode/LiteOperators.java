package org.torchnnapi.torchscript.bytecode;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.tensor.platform.InputStreams;

/**
 * Which operators the published Android runtimes have: those of {@code org.pytorch} on Maven Central, as their
 * libraries register them. The table is made by {@code ci/interop/lite_operators.py}.
 */
final class LiteOperators {
    private static final String TABLE = "lite-operators.txt";

    private static final class Holder {
        private static final Map<String, String> OPERATORS = read();
    }

    private LiteOperators() {}

    /** @param runtime position in the table's order */
    static boolean has(int runtime, String operator) {
        String runtimes = Holder.OPERATORS.get(operator);
        return runtimes != null && runtimes.charAt(runtime) == '1';
    }

    private static Map<String, String> read() {
        Map<String, String> all = new HashMap<>();
        try (InputStream in = LiteOperators.class.getResourceAsStream(TABLE)) {
            for (String line : new String(InputStreams.readAll(in), StandardCharsets.US_ASCII).split("\n")) {
                String[] parts = line.split(" ");
                for (int i = 2; i < parts.length; i++) {
                    all.put(parts[1] + "::" + parts[i], parts[0]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }
}
