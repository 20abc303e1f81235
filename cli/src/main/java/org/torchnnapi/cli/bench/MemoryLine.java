package org.torchnnapi.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.torchnnapi.engine.ModelMemory;

/** What models and the process hold, as one line for people. */
final class MemoryLine {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final double MEGABYTE = 1 << 20;

    private MemoryLine() {
    }

    static String of(ModelMemory memory) throws IOException {
        Runtime runtime = Runtime.getRuntime();
        StringBuilder line = new StringBuilder("Memory in MB: mapped file ").append(megabytes(memory.mapped()))
            .append(", tensors ").append(megabytes(memory.tensors())).append(", packed weights ").append(megabytes(memory.packed()))
            .append(", arena ").append(megabytes(memory.arenas()))
            .append(", heap ").append(megabytes(runtime.totalMemory() - runtime.freeMemory())).append(" of ").append(megabytes(runtime.maxMemory()));
        long peak = peakResident();
        return (peak == 0 ? line : line.append(", peak resident ").append(megabytes(peak))).append('.').toString();
    }

    /** The most that the process ever had in memory; 0 where the system does not tell. */
    private static long peakResident() throws IOException {
        if (!Files.isReadable(STATUS)) {
            return 0;
        }
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        return 0;
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / MEGABYTE);
    }
}
