package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.torchnnapi.benchmarks.peers.Contender.Session;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs every engine over every model, interleaved: in each round each engine has a turn, so that whatever slows the
 * machine slows all of them. Between turns all are still, so that idle workers of one engine stop spinning before the
 * next is timed.
 */
@Command(
        name = "peers",
        description = "Times this project and other engines over the same models.",
        mixinStandardHelpOptions = true)
final class PeerBenchmark implements Callable<Integer> {
    private static final int REST_MILLIS = 40;

    @Option(names = "--models", required = true, description = "folder that make_models.py filled")
    private Path folder;

    @Option(names = "--only", split = ",", description = "model names (all)")
    private List<String> only = List.of();

    @Option(names = "--engines", split = ",", description = "engines whose names contain one of these (all)")
    private List<String> engines = List.of("");

    @Option(names = "--threads", split = ",", defaultValue = "1,2", description = "thread counts (${DEFAULT-VALUE})")
    private int[] threads;

    @Option(names = "--rounds", defaultValue = "15", description = "rounds (${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--turn",
            defaultValue = "100",
            description = "milliseconds of one engine's turn in a round (${DEFAULT-VALUE})")
    private int turnMillis;

    @Option(
            names = "--warmup",
            defaultValue = "2.0",
            description = "seconds of warm-up for each engine (${DEFAULT-VALUE})")
    private double warmupSeconds;

    @Option(names = "--quick", description = "fewer and shorter rounds: --rounds 5 --turn 50 --warmup 1")
    private boolean quick;

    @Option(
            names = "--memory",
            description =
                    "measure the peak resident size instead, in fresh processes of one engine each, on one thread")
    private boolean memory;

    @Option(
            names = "--seconds",
            split = ",",
            defaultValue = "0.5,2,5",
            description = "with --memory: how long engines run before it is read (${DEFAULT-VALUE})")
    private double[] seconds;

    @Option(
            names = "--java-options",
            defaultValue = "-XX:+UseSerialGC -Xms16m",
            description =
                    "with --memory: of the Java engines' virtual machines (${DEFAULT-VALUE}, as torch-nnapi has them)")
    private String javaOptions;

    @Option(
            names = "--python",
            defaultValue = "/usr/bin/python3",
            description = "Python that has PyTorch (${DEFAULT-VALUE})")
    private Path python;

    @Option(names = "--csv", description = "also write all results to this file")
    private Path csv;

    @Option(names = "--with", split = ",", description = "show the results of earlier runs too, from their --csv files")
    private List<Path> earlier = List.of();

    @Option(names = "--svg", description = "also draw a chart into this file")
    private Path svg;

    @Option(names = "--markdown", description = "also write the tables to this file")
    private Path markdown;

    /** One engine with its model open, and its times. */
    private record Entrant(Contender contender, Session session, List<Long> nanos) {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new PeerBenchmark()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        if (quick) {
            rounds = 5;
            turnMillis = 50;
            warmupSeconds = 1;
        }
        if (memory) {
            return measureMemory();
        }
        List<Measurement> all = new ArrayList<>();
        for (Path file : earlier) {
            Files.readAllLines(file).stream().skip(1).map(Measurement::parse).forEach(all::add);
        }
        Report report = new Report(all, new ArrayList<>());
        Arrays.sort(threads);
        // A thread can be confined further, but not let out again: each count has a thread of its own.
        for (BenchmarkModel model : models()) {
            for (int count : threads) {
                List<Measurement> measured = onThreadOfItsOwn(count, () -> measure(model, count, report.machine()));
                all.addAll(measured);
                System.out.print(report.table(measured));
                System.out.print(report.speedUps(model.name(), count));
            }
        }
        System.out.print(report.summary());
        if (csv != null) {
            Files.write(csv, report.csv());
        }
        if (svg != null) {
            Files.writeString(svg, Chart.draw(all));
        }
        if (markdown != null) {
            Files.writeString(markdown, report.markdown());
        }
        return all.isEmpty() ? 1 : 0;
    }

    private List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>(List.of(OurContender.values()));
        contenders.addAll(List.of(TensorFlowLitePeer.values()));
        contenders.add(new OnnxRuntimePeer());
        for (PyTorchPeer.Mode mode : PyTorchPeer.Mode.values()) {
            contenders.add(new PyTorchPeer(python, mode));
        }
        contenders.removeIf(contender -> engines.stream().noneMatch(contender.toString()::contains));
        return contenders;
    }

    private List<BenchmarkModel> models() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("-input.npy"))
                    .map(name -> new BenchmarkModel(name.substring(0, name.length() - "-input.npy".length()), folder))
                    .filter(model -> only.isEmpty() || only.contains(model.name()))
                    .sorted((a, b) -> a.name().compareTo(b.name()))
                    .toList();
        }
    }

    private static <T> T onThreadOfItsOwn(int processors, Callable<T> task) throws Exception {
        List<T> result = new ArrayList<>();
        List<Exception> failure = new ArrayList<>();
        Thread thread = new Thread(() -> {
            try {
                Affinity.confine(processors);
                result.add(task.call());
            } catch (Exception e) {
                failure.add(e);
            }
        });
        thread.start();
        thread.join();
        if (!failure.isEmpty()) {
            throw failure.get(0);
        }
        return result.get(0);
    }

    private List<Measurement> measure(BenchmarkModel model, int count, List<MachineSpeedUp> machine) throws Exception {
        List<Entrant> entrants = new ArrayList<>();
        for (Contender contender : contenders()) {
            if (contender.refusal(model) == null) {
                try {
                    Session session = contender.open(model, count);
                    warmUp(session);
                    entrants.add(new Entrant(contender, session, new ArrayList<>()));
                } catch (UnsupportedOperationException same) {
                    continue;
                } catch (Exception | LinkageError e) {
                    System.err.println(contender + " does not run " + model.name() + ": " + e.getMessage());
                }
            }
        }
        try (MachineSpeedUp.Meter meter = new MachineSpeedUp.Meter(count)) {
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < entrants.size(); i++) {
                    turn(entrants.get((i + round) % entrants.size()));
                }
                Thread.sleep(REST_MILLIS);
                meter.measure();
            }
            meter.result(model.name()).ifPresent(machine::add);
        }
        List<Measurement> measured = new ArrayList<>();
        for (Entrant entrant : entrants) {
            measured.add(Measurement.of(
                    model,
                    count,
                    entrant.contender,
                    entrant.nanos.stream().mapToLong(Long::longValue).toArray(),
                    model.expected().worstDifference(entrant.session.output())));
            entrant.session.close();
        }
        return measured;
    }

    private void warmUp(Session session) throws Exception {
        long end = System.nanoTime() + (long) (warmupSeconds * 1e9);
        do {
            session.time();
        } while (System.nanoTime() < end);
    }

    /** A rest, an inference to wake the engine and its caches, and then as many as the turn has time for. */
    private void turn(Entrant entrant) throws Exception {
        Thread.sleep(REST_MILLIS);
        entrant.session.time();
        long end = System.nanoTime() + turnMillis * 1_000_000L;
        do {
            entrant.nanos.add(entrant.session.time());
        } while (System.nanoTime() < end);
    }

    private int measureMemory() throws Exception {
        Arrays.sort(seconds);
        PeakTable table = new PeakTable(seconds);
        for (BenchmarkModel model : models()) {
            List<PeakProcess> processes = new ArrayList<>(List.of(PeakProcess.ofJavaAlone(model)));
            for (Contender contender : contenders()) {
                if (contender.refusal(model) == null && !contender.hasOtherOutputs()) {
                    processes.add(new PeakProcess(model, contender, contender.toString()));
                }
            }
            for (int round = 0; round < rounds; round++) {
                for (PeakProcess process : List.copyOf(processes)) {
                    try {
                        table.add(model.name(), process.title(), process.run(seconds, javaOptions));
                    } catch (Exception | LinkageError e) {
                        System.err.println(process.title() + " does not run " + model.name() + ": " + e.getMessage());
                        processes.remove(process);
                    }
                }
            }
            System.out.print(table.rows(model.name()));
        }
        Files.write(folder.resolve("memory.csv"), table.csv());
        return 0;
    }
}
