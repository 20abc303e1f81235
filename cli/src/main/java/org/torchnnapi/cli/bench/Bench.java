package org.torchnnapi.cli.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.torchnnapi.cli.io.Bundled;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.GivenInputs;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.cli.io.StoredShapes;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.cli.io.ValuePrinter;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.WholeFile;

/** The benchmark: one model in speed_benchmark_torch's lines, or several interleaved in one table. */
public final class Bench {
    private static final String FORWARD = "forward";

    private static final double MICROS_PER_NANO = 1e-3;
    private static final double MICROS_PER_SECOND = 1e6;

    private final BenchFlags flags;
    private final PrintStream out;
    private final PrintStream err;

    private Bench(BenchFlags flags, PrintStream out, PrintStream err) {
        this.flags = flags;
        this.out = out;
        this.err = err;
    }

    /**
     * @param width columns that help is to fit
     * @return the exit code, as speed_benchmark_torch has it: 1 for flags it does not understand too
     */
    public static int run(String[] arguments, PrintStream out, PrintStream err, int width) throws IOException {
        BenchFlags.Parsed parsed = BenchFlags.parse(arguments);
        if (parsed.help()) {
            out.print(BenchFlags.help(width));
            return 0;
        }
        if (!parsed.problems().isEmpty()) {
            parsed.problems().forEach(err::println);
            err.println("Failed to parse command line flags!");
            return 1;
        }
        new Bench(parsed.flags(), out, err).run();
        return 0;
    }

    /** A model under measurement, with its inputs and what was measured so far. */
    private record Contender(String name, LoadedModel model, Object[] inputs, List<Double> micros) {
        double once() {
            long start = System.nanoTime();
            CommandFailure.naming(name, () -> model.call("forward", inputs));
            return (System.nanoTime() - start) * MICROS_PER_NANO;
        }

        Latencies latencies() {
            return new Latencies(
                    micros.stream().mapToDouble(Double::doubleValue).toArray());
        }
    }

    private void run() throws IOException {
        if (flags.string("model").isEmpty()) {
            throw new CommandFailure("model: none (expected: --model=FILE)");
        }
        if (flags.bool("vulkan")) {
            throw new CommandFailure(
                    "vulkan: true (expected: false; there is no Vulkan device here, see the devices command)");
        }
        int iterations = flags.integer("iter");
        int warmup = flags.integer("warmup");
        require(warmup >= 0, "Number of warm up runs should be non negative, provided " + warmup + ".");
        require(iterations >= 0, "Number of main runs should be non negative, provided " + iterations + ".");
        int threads = Math.max(flags.integer("threads"), flags.integer("pthreadpool_size"));
        if (!flags.string("cpus").isEmpty()) {
            CpuThreads.keepTo(flags.string("cpus"));
        }
        if (threads > 0) {
            CpuThreads.set(threads);
        }
        List<String> models = models();
        GivenInputs inputs = new GivenInputs(Arrays.asList(flags.string("input").split(";")));
        OutputFiles outputs = new OutputFiles()
                .reading(models.stream().map(name -> Paths.get(name)).collect(Streams.toList()))
                .reading(inputs.files());
        for (String written : List.of("csv", "json", "html")) {
            if (!flags.string(written).isEmpty()) {
                outputs.check(Paths.get(flags.string(written)));
            }
        }
        if (!flags.string("input").isEmpty() && BenchInputs.areDescribed(flags)) {
            throw new CommandFailure("input: " + flags.string("input")
                    + " beside other flags that say what the inputs are (expected: one way, so without input_dims, "
                    + "input_type, use_bundled_input and no_inputs)");
        }
        int[] compared = flags.string("compare_threads").isEmpty()
                ? new int[0]
                : ThreadComparison.numbers("compare_threads", flags.string("compare_threads"));
        List<Object> given = flags.string("input").isEmpty() ? described(models) : inputs.read();
        List<Contender> contenders = new ArrayList<>();
        for (String model : models) {
            contenders.add(load(model, given));
        }
        Contender first = contenders.get(0);
        if (flags.bool("print_output")) {
            out.println(ValuePrinter.of(
                    CommandFailure.naming(first.name(), () -> first.model().call("forward", first.inputs()))));
        }
        out.println("Starting benchmark.");
        out.println("Running warmup runs.");
        try (Progress progress = new Progress()) {
            for (int i = 0; i < warmup; i++) {
                contenders.forEach(Contender::once);
                progress.update("warmup", i + 1, warmup);
            }
        }
        out.println("Main runs.");
        try (Progress progress = new Progress()) {
            for (int i = 0; i < iterations; i++) {
                // Interleaved, so that a machine that slows down slows all of them down.
                for (Contender contender : contenders) {
                    contender.micros().add(contender.once());
                }
                progress.update("main", i + 1, iterations);
            }
        }
        report(contenders);
        if (compared.length > 0) {
            out.print(ThreadComparison.run(compared, first::once, iterations));
        }
        if (flags.bool("report_memory")) {
            for (Contender contender : contenders) {
                Path file = Paths.get(contender.name());
                out.println((contenders.size() > 1 ? file.getFileName() + ": " : "")
                        + MemoryLine.of(contender.model().memory(), file));
            }
            out.println(MemoryLine.ofProcess());
        }
        List<String> energy = flags.bool("report_energy") ? energy(contenders) : List.of();
        energy.forEach(out::println);
        if (!flags.string("html").isEmpty()) {
            BenchCharts charts = new BenchCharts(contenders.get(0).name());
            contenders.forEach(contender -> charts.add(contender.name(), contender.latencies()));
            charts.write(energy, Paths.get(flags.string("html")));
        }
        for (Contender contender : contenders) {
            contender.model().close();
        }
    }

    /** A line for each model, or one that says why the machine does not tell. */
    private static List<String> energy(List<Contender> contenders) {
        List<String> lines = new ArrayList<>();
        for (Contender contender : contenders) {
            try {
                lines.add((contenders.size() > 1 ? Paths.get(contender.name()).getFileName() + ": " : "")
                        + new Energy().measure(contender::once));
            } catch (IOException e) {
                return List.of(e.getMessage());
            }
        }
        return lines;
    }

    /** The first model, and those it is compared with. */
    private List<String> models() {
        List<String> models = new ArrayList<>(List.of(flags.string("model")));
        Arrays.stream(flags.string("compare").split(";"))
                .map(Strings::strip)
                .filter(other -> !other.isEmpty())
                .forEach(models::add);
        return models;
    }

    /**
     * Inputs of the flags of speed_benchmark_torch; without any, those bundled with a model, or of the shapes that
     * stand in a file.
     */
    private List<Object> described(List<String> models) throws IOException {
        if (BenchInputs.areDescribed(flags)) {
            return BenchInputs.create(flags);
        }
        List<LoadedModel> loaded = new ArrayList<>();
        try {
            for (String model : models) {
                loaded.add(ModelFile.load(Paths.get(model), engine()));
            }
            for (LoadedModel model : loaded) {
                if (Bundled.has(model, FORWARD)) {
                    err.println("inputs: none given, so those in the file");
                    return Bundled.inputs(model, FORWARD, 0);
                }
            }
            StoredShapes.Taken taken = StoredShapes.inputs(loaded, FORWARD, new Random(0));
            if (taken == null) {
                return BenchInputs.create(flags);
            }
            err.println("inputs: none given, so " + taken.text());
            return taken.inputs();
        } finally {
            loaded.forEach(LoadedModel::close);
        }
    }

    private Contender load(String file, List<Object> given) throws IOException {
        LoadedModel model = ModelFile.load(Paths.get(file), engine());
        int bundled = flags.integer("use_bundled_input");
        List<Object> inputs =
                bundled >= 0 ? CommandFailure.naming(file, () -> Bundled.inputs(model, FORWARD, bundled)) : given;
        return new Contender(file, model, inputs.toArray(), new ArrayList<>());
    }

    private EngineOptions engine() {
        EngineOptions options = EngineOptions.defaults().withSpecialise(!flags.bool("interpret"));
        List<String> devices = Arrays.stream(flags.string("device").split(","))
                .map(Strings::strip)
                .filter(name -> !name.isEmpty())
                .collect(Streams.toList());
        devices.forEach(options.devices()::find);
        return options.withOnly(devices);
    }

    private void report(List<Contender> contenders) throws IOException {
        Latencies first = contenders.get(0).latencies();
        if (flags.bool("report_pep")) {
            for (double micros : first.micros()) {
                out.println(
                        "PyTorchObserver {\"type\": \"NET\", \"unit\": \"us\", \"metric\": \"latency\", \"value\": \""
                                + CxxNumber.format(Math.floor(micros)) + "\"}");
            }
        }
        double perIteration = first.total() / first.micros().length;
        out.println("Main run finished. Microseconds per iter: " + CxxNumber.format(perIteration)
                + ". Iters per second: " + CxxNumber.format(MICROS_PER_SECOND / perIteration));
        if (contenders.size() > 1 || flags.bool("percentiles")) {
            out.print(table(contenders));
        }
        if (!flags.string("csv").isEmpty()) {
            writeCsv(contenders, Paths.get(flags.string("csv")));
        }
        if (!flags.string("json").isEmpty()) {
            writeJson(contenders, Paths.get(flags.string("json")));
        }
    }

    private static TextTable table(List<Contender> contenders) {
        // Each ratio stands behind what it is of, so that neither seems to contradict the other.
        TextTable table = new TextTable(
                "model", "mean us", "speed by means", "median us", "speed by medians", "min", "p90", "p99", "max");
        Latencies base = contenders.get(0).latencies();
        for (Contender contender : contenders) {
            Latencies latencies = contender.latencies();
            table.row(
                    Paths.get(contender.name()).getFileName(),
                    micros(latencies.mean()),
                    ratio(base.mean(), latencies.mean()),
                    micros(latencies.percentile(50)),
                    ratio(base.percentile(50), latencies.percentile(50)),
                    micros(latencies.percentile(0)),
                    micros(latencies.percentile(90)),
                    micros(latencies.percentile(99)),
                    micros(latencies.percentile(100)));
        }
        return table;
    }

    private static void writeCsv(List<Contender> contenders, Path file) throws IOException {
        StringBuilder text = new StringBuilder("model,iteration,microseconds\n");
        for (Contender contender : contenders) {
            for (int i = 0; i < contender.micros().size(); i++) {
                text.append(ShownText.csv(contender.name()))
                        .append(',')
                        .append(i)
                        .append(',')
                        .append(micros(contender.micros().get(i)))
                        .append('\n');
            }
        }
        WholeFile.write(file, text.toString());
    }

    private static void writeJson(List<Contender> contenders, Path file) throws IOException {
        List<Map<String, Object>> models = new ArrayList<>();
        for (Contender contender : contenders) {
            Latencies latencies = contender.latencies();
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("model", contender.name());
            entry.put("iterations", latencies.micros().length);
            entry.put("meanMicros", latencies.mean());
            for (int percent : new int[] {0, 50, 90, 99, 100}) {
                entry.put("p" + percent + "Micros", latencies.percentile(percent));
            }
            models.add(entry);
        }
        OutputFiles.writeJson(Map.of("models", models), file.toString());
    }

    private static String ratio(double first, double other) {
        return String.format(Locale.ROOT, "%.2fx", first / other);
    }

    private static String micros(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new CommandFailure(message);
        }
    }
}
