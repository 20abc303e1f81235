package org.torchnnapi.cli.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.page.BenchPage;

/** Charts of measured iterations, as a page. */
final class BenchCharts {
    private final BenchPage page;

    /** @param first model of those that are compared */
    BenchCharts(String first) {
        page = new BenchPage("Benchmark of " + Path.of(first).getFileName());
    }

    void add(String model, Latencies latencies) {
        page.add(Path.of(model).getFileName().toString(), latencies.micros());
    }

    /** @param energy lines about it, which may be none */
    void write(List<String> energy, Path file) throws IOException {
        page.note(
                "Machine",
                Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
                        + System.getProperty("os.arch") + ", Java " + Runtime.version());
        if (!energy.isEmpty()) {
            page.note("Energy", String.join("; ", energy));
        }
        page.write(file);
    }
}
