package org.torchnnapi.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/** What a file may cost as it is read, and how long its errors may be; whatever is beyond is a finding. */
final class InputBounds {
    private static final long BYTES = 64 << 20;
    private static final long BYTES_EACH = 200;
    private static final int CHARACTERS = 4000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private InputBounds() {}

    /**
     * Reads a file; once more where that allocates more than it may, since a first time also loads classes, and the
     * fuzzer instruments them.
     *
     * @param bytes that it has
     */
    static <T> T reading(long bytes, Supplier<T> reader) {
        long most = BYTES + BYTES_EACH * bytes;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        T read = reader.get();
        if (THREADS.getCurrentThreadAllocatedBytes() - before > most) {
            before = THREADS.getCurrentThreadAllocatedBytes();
            read = reader.get();
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated > most) {
                throw new IllegalStateException("allocates " + allocated + " bytes to read " + bytes
                        + " (expected: at most " + BYTES + " and " + BYTES_EACH + " for each)");
            }
        }
        return read;
    }

    /** Takes an exception that is documented. */
    static void told(RuntimeException refused) {
        String message = refused.getMessage();
        if (message == null || message.length() > CHARACTERS) {
            throw new IllegalStateException(
                    "a message of " + (message == null ? "no" : message.length()) + " characters (expected: 1 to "
                            + CHARACTERS + ")",
                    refused);
        }
    }
}
