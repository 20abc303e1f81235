package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.torchnnapi.benchmarks.peers.Contender.BenchmarkModel;
import org.torchnnapi.benchmarks.peers.Contender.Session;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs every engine over every model, interleaved: in each round each engine runs a few inferences in turn, so that
 * whatever slows the machine slows all of them. Reports medians over all rounds.
 */
@Command(name = "peers", description = "Times this project and other engines over the same models.", mixinStandardHelpOptions = true)
final class PeerBenchmark implements Callable<Integer> {
    @Option(names = "--models", required = true, description = "folder that make_models.py filled")
    private Path folder;

    @Option(names = "--only", split = ",", description = "model names (all)")
    private List<String> only = List.of();

    @Option(names = "--threads", split = ",", defaultValue = "1,2", description = "thread counts (${DEFAULT-VALUE})")
    private int[] threads;

    @Option(names = "--rounds", defaultValue = "15", description = "rounds (${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--inner", defaultValue = "5", description = "inferences of one engine in a round (${DEFAULT-VALUE})")
    private int inner;

    @Option(names = "--warmup", defaultValue = "2.0", description = "seconds of warm-up for each engine (${DEFAULT-VALUE})")
    private double warmupSeconds;

    @Option(names = "--python", defaultValue = "/usr/bin/python3", description = "Python that has PyTorch (${DEFAULT-VALUE})")
    private Path python;

    @Option(names = "--csv", description = "also write all medians to this file")
    private Path csv;

    @Option(names = "--svg", description = "also draw a chart into this file")
    private Path svg;

    /** @param milliseconds median of one inference */
    record Row(String model, int threads, String engine, double milliseconds) { }

    public static void main(String[] args) {
        System.exit(new CommandLine(new PeerBenchmark()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (BenchmarkModel model : models()) {
            for (int count : threads) {
                List<Row> measured = measure(model, count);
                print(measured);
                rows.addAll(measured);
            }
        }
        if (csv != null) {
            List<String> lines = new ArrayList<>(List.of("model,threads,engine,median_ms"));
            rows.forEach(r -> lines.add(String.format(Locale.ROOT, "%s,%d,%s,%.4f", r.model, r.threads, r.engine, r.milliseconds)));
            Files.write(csv, lines);
        }
        if (svg != null) {
            Files.writeString(svg, Chart.draw(rows));
        }
        return rows.isEmpty() ? 1 : 0;
    }

    private List<BenchmarkModel> models() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith("-input.npy"))
                    .map(name -> new BenchmarkModel(name.substring(0, name.length() - "-input.npy".length()), folder))
                    .filter(model -> only.isEmpty() || only.contains(model.name()))
                    .sorted((a, b) -> a.name().compareTo(b.name())).toList();
        }
    }

    private List<Row> measure(BenchmarkModel model, int count) {
        Map<Contender, Session> sessions = new LinkedHashMap<>();
        Map<Contender, List<Long>> times = new LinkedHashMap<>();
        for (Contender contender : List.of(OurContender.NNAPI, OurContender.CPU, new TensorFlowLitePeer(), new OnnxRuntimePeer(),
                new PyTorchPeer(python))) {
            if (!contender.takes(model)) {
                continue;
            }
            try {
                Session session = contender.open(model, count);
                long end = System.nanoTime() + (long) (warmupSeconds * 1e9);
                do {
                    session.time();
                } while (System.nanoTime() < end);
                sessions.put(contender, session);
                times.put(contender, new ArrayList<>());
            } catch (Exception | LinkageError e) {
                System.err.println(contender + " does not run " + model.name() + ": " + e.getMessage());
            }
        }
        try {
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<Contender, Session> entry : sessions.entrySet()) {
                    for (int i = 0; i < inner; i++) {
                        times.get(entry.getKey()).add(entry.getValue().time());
                    }
                }
            }
            compareOutputs(model, sessions);
            for (Session session : sessions.values()) {
                session.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(model.name() + " failed after its warm-up", e);
        }
        List<Row> rows = new ArrayList<>();
        times.forEach((contender, nanos) -> {
            long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
            rows.add(new Row(model.name(), count, contender.toString(), sorted[sorted.length / 2] / 1e6));
        });
        return rows;
    }

    /** A result that differs is said, as engines that compute something else are no peers. */
    private static void compareOutputs(BenchmarkModel model, Map<Contender, Session> sessions) throws Exception {
        float[] expected = Npy.read(model.file("-output.npy")).values();
        double span = 0;
        for (float value : expected) {
            span = Math.max(span, Math.abs(value));
        }
        for (Map.Entry<Contender, Session> entry : sessions.entrySet()) {
            float[] actual = entry.getValue().output();
            double worst = actual.length == expected.length ? 0 : Double.POSITIVE_INFINITY;
            for (int i = 0; i < Math.min(actual.length, expected.length); i++) {
                worst = Math.max(worst, Math.abs(actual[i] - expected[i]));
            }
            if (worst > 0.05 * span) {
                System.err.printf(Locale.ROOT, "%s on %s: off PyTorch's output by up to %.1f%% of its largest value%n", entry.getKey(),
                        model.name(), 100 * worst / span);
            }
        }
    }

    private static void print(List<Row> rows) {
        if (rows.isEmpty()) {
            return;
        }
        double best = rows.stream().mapToDouble(Row::milliseconds).min().orElseThrow();
        System.out.printf(Locale.ROOT, "%s, %d thread%s%n", rows.get(0).model, rows.get(0).threads, rows.get(0).threads == 1 ? "" : "s");
        for (Row row : rows) {
            System.out.printf(Locale.ROOT, "  %-26s %9.3f ms  %5.2fx the fastest%n", row.engine, row.milliseconds, row.milliseconds / best);
        }
        System.out.flush();
    }
}
