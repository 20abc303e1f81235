package org.torchnnapi.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.Locale;
import org.torchnnapi.engine.ModelMemory;
import org.torchnnapi.kernels.Kernels;

/** What models and the process hold, as lines for people. */
final class MemoryLine {
    private static final Path STATUS = Paths.get("/proc/self/status");
    private static final Path MAPPINGS = Paths.get("/proc/self/smaps");
    private static final double MEGABYTE = 1 << 20;
    private static final long KILOBYTE = 1 << 10;

    private MemoryLine() {}

    /** @param file that the model was loaded from */
    static String of(ModelMemory memory, Path file) throws IOException {
        return "Memory in MB: mapped file " + megabytes(memory.mapped()) + resident(file) + ", tensors "
                + megabytes(memory.tensors()) + ", packed weights " + megabytes(memory.packed()) + ", arena "
                + megabytes(memory.arenas()) + ".";
    }

    static String ofProcess() throws IOException {
        Runtime runtime = Runtime.getRuntime();
        String heap = "Process in MB: Java heap " + megabytes(runtime.totalMemory() - runtime.freeMemory()) + " used, "
                + megabytes(runtime.totalMemory()) + " taken, " + megabytes(runtime.maxMemory()) + " at most"
                + (Kernels.sharedWeightBytes() == 0
                        ? ""
                        : "; packed weights, shared ones once " + megabytes(Kernels.sharedWeightBytes()));
        if (!Files.isReadable(STATUS)) {
            return heap + ".";
        }
        List<String> status = Files.readAllLines(STATUS);
        return heap + "; resident " + megabytes(field(status, "VmRSS:")) + ", of that files "
                + megabytes(field(status, "RssFile:")) + "; peak resident " + megabytes(field(status, "VmHWM:")) + ".";
    }

    /** How much of a mapped file is in memory; "" where the system does not tell. */
    private static String resident(Path file) throws IOException {
        if (!Files.isReadable(MAPPINGS)) {
            return "";
        }
        String name = " " + file.toRealPath();
        long bytes = 0;
        boolean inFile = false;
        for (String line : Files.readAllLines(MAPPINGS)) {
            if (line.startsWith("Rss:")) {
                bytes += inFile ? kilobytes(line) : 0;
            } else if (line.contains("/")) {
                inFile = line.endsWith(name);
            } else if (line.indexOf('-') > 0 && line.indexOf('-') < line.indexOf(' ')) {
                inFile = false;
            }
        }
        return " (" + megabytes(bytes) + " resident)";
    }

    private static long field(List<String> status, String name) {
        return status.stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(MemoryLine::kilobytes)
                .sum();
    }

    private static long kilobytes(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * KILOBYTE;
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / MEGABYTE);
    }
}
