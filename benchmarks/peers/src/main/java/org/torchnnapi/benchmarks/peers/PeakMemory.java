package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Peak resident size of processes, where Linux tells it. */
final class PeakMemory {
    private static final String FIELD = "VmHWM:";

    private PeakMemory() {}

    /** In bytes; 0 where the system does not tell. */
    static long ofThisProcess() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(FIELD))
                .mapToLong(line -> 1024
                        * Long.parseLong(
                                line.substring(FIELD.length()).replace("kB", "").strip()))
                .findFirst()
                .orElse(0);
    }
}
