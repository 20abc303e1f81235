package org.torchnnapi.cli.bench;

import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.cli.io.CommandFailure;

/** In place of the command's own, as pages are no part of what goes on a phone. */
final class BenchCharts {
    BenchCharts(String first) {}

    void add(String model, Latencies latencies) {}

    void write(List<String> energy, Path file) {
        throw new CommandFailure(
                "html: " + file + " (expected: --json=FILE or --csv=FILE; pages are written on a computer)");
    }
}
