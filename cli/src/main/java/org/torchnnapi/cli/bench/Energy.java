package org.torchnnapi.cli.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.torchnnapi.tensor.platform.Strings;

/**
 * Energy counters of Linux' power capping framework: for each processor package a number of microjoules that grows and
 * wraps around. They count all that the processors do, idling and others' work too.
 */
final class Energy {
    private static final Path ROOT = Paths.get("/sys/class/powercap");
    private static final long LEAST_NANOS = 500_000_000;
    private static final int LEAST_RUNS = 10;
    private static final double MICROS_OF_MILLI = 1e3;

    /** What a run took: millijoules of all packages together, and how many runs that is the mean of. */
    record Use(double millijoules, int runs) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "Energy: %.3f mJ a run, of the whole processor (mean of %d runs, idling included)",
                    millijoules,
                    runs);
        }
    }

    private final Path root;

    Energy() {
        this(ROOT);
    }

    Energy(Path root) {
        this.root = root;
    }

    /**
     * Measures runs of half a second at least.
     *
     * @throws IOException saying why there is no answer: no counters, or they may not be read
     */
    Use measure(Runnable run) throws IOException {
        Map<Path, Long> before = read();
        long start = System.nanoTime();
        int runs = 0;
        while (runs < LEAST_RUNS || System.nanoTime() - start < LEAST_NANOS) {
            run.run();
            runs++;
        }
        Map<Path, Long> after = read();
        double micros = 0;
        for (Map.Entry<Path, Long> zone : before.entrySet()) {
            long grown = after.get(zone.getKey()) - zone.getValue();
            micros += grown >= 0 ? grown : grown + number(zone.getKey().resolve("max_energy_range_uj"));
        }
        return new Use(micros / MICROS_OF_MILLI / runs, runs);
    }

    /** The counters of packages; those of their parts are counted in them. */
    private Map<Path, Long> read() throws IOException {
        Map<Path, Long> counters = new LinkedHashMap<>();
        if (Files.isDirectory(root)) {
            try (DirectoryStream<Path> zones = Files.newDirectoryStream(
                    root,
                    zone -> zone.getFileName().toString().matches("[a-z-]+:[0-9]+")
                            && !zone.getFileName().toString().contains("mmio"))) {
                for (Path zone : zones) {
                    if (Files.exists(zone.resolve("energy_uj"))) {
                        counters.put(zone, number(zone.resolve("energy_uj")));
                    }
                }
            }
        }
        if (counters.isEmpty()) {
            throw new IOException("Energy: not known, as " + root
                    + " has no counters (expected: a Linux machine that shows them; virtual ones seldom do)");
        }
        return counters;
    }

    private static long number(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException(
                    "Energy: not known, as " + file + " may not be read (expected: permission, such as root's)");
        }
        String text = Strings.strip(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException(
                    "Energy: not known, as " + file + " holds " + text + " (expected: a whole number)", e);
        }
    }
}
