package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.bench.ThreadComparison;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where a model's time goes, step by step. */
@Command(
        name = "profile",
        header = "Shows how long each step takes.",
        mixinStandardHelpOptions = true,
        description =
                "Runs a model many times and shows what each step takes: the operations it does, milliseconds a run, "
                        + "share and device.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi profile net.pt --input 'float32[1,3,224,224]' --threads 1",
            "  torch-nnapi profile net-nnapi.pt --input x.npy --top 10 --json steps.json",
            "  torch-nnapi profile net-nnapi.pt --html steps.html --trace steps.json",
            "  torch-nnapi profile net-nnapi.pt --input x.npy --compare-threads 1,2"
        })
final class ProfileCommand implements Callable<Integer> {
    private static final double NANOS_OF_MILLI = 1e6;
    /** The code around every NNAPI model, which only hands tensors to it. */
    private static final String WRAPPER = "torch/backends/_nnapi/prepare";

    @Mixin
    private ModelOptions modelOptions;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "20",
            description = "Runs before measuring. Default: ${DEFAULT-VALUE}.")
    private int warmup;

    @Option(
            names = "--iter",
            paramLabel = "N",
            defaultValue = "50",
            description = "Runs to measure. Default: ${DEFAULT-VALUE}.")
    private int iterations;

    @Option(
            names = "--top",
            paramLabel = "K",
            description = "Show the K longest steps, longest first. Default: all, in their order.")
    private Integer top;

    @Option(
            names = "--compare-threads",
            paramLabel = "N,M",
            description =
                    "Show what each step takes with these numbers of threads, in turns, and its speed-up, instead of "
                            + "shares:"
                            + " means of the quickest turns, a tenth of all.")
    private String compareThreads;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Write the steps to this JSON file; - for standard output and no table.")
    private String json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also writes a page: the model's graph, and the steps as a time line.")
    private Path html;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Also writes the runs as events in the form of Chrome's traces, which https://ui.perfetto.dev "
                            + "opens.")
    private Path trace;

    @Override
    public Integer call() throws IOException {
        ModelOptions.requireTop(top);
        OutputFiles outputs = modelOptions.outputs();
        outputs.checkUnlessStandard(json);
        for (Path file : new Path[] {html, trace}) {
            if (file != null) {
                outputs.check(file);
            }
        }
        if (iterations < 1 || warmup < 0) {
            throw new CommandFailure(
                    "runs: " + warmup + " before and " + iterations + " measured (expected: >= 0 and >= 1)");
        }
        RunTrace events = new RunTrace();
        try (LoadedModel model = modelOptions.load(options -> trace == null ? options : options.withTrace(events))) {
            List<Object> inputs = modelOptions.inputs(model);
            // What a model consists of is known once it has run.
            try (Progress progress = new Progress()) {
                for (int i = 0; i < Math.max(warmup, 1); i++) {
                    modelOptions.call(model, inputs);
                    progress.update("warmup", i + 1, warmup);
                }
            }
            if (compareThreads != null) {
                new ThreadProfile(ThreadComparison.numbers("compare-threads", compareThreads), iterations)
                        .report(model, () -> modelOptions.call(model, inputs), top, json);
                return 0;
            }
            model.profile();
            long whole = 0;
            try (Progress progress = new Progress()) {
                for (int i = 0; i < iterations; i++) {
                    long start = System.nanoTime();
                    modelOptions.call(model, inputs);
                    long end = System.nanoTime();
                    whole += end - start;
                    if (trace != null) {
                        events.run(i, start, end, model.stepTimes());
                    }
                    progress.update("measuring", i + 1, iterations);
                }
            }
            List<ProfiledStep> steps = steps(model.stepTimes(), whole);
            report(
                    steps,
                    model.module().interpretedParts().stream()
                            .filter(part -> !part.contains(WRAPPER))
                            .collect(Streams.toList()));
            if (trace != null) {
                events.write(trace);
                told("wrote " + trace);
            }
            if (html != null) {
                modelOptions.writeProfile(model, inputs, steps, iterations, html);
                told("wrote " + html);
            }
        }
        return 0;
    }

    private void told(String line) {
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.println(line);
        }
    }

    /** The steps, and what is left of the whole: interpreting, and what joins the parts. */
    static List<ProfiledStep> steps(List<ProfiledStep> measured, long whole) {
        List<ProfiledStep> steps = new ArrayList<>(measured);
        long known = measured.stream().mapToLong(ProfiledStep::nanos).sum();
        steps.add(new ProfiledStep(
                "", measured.isEmpty() ? "interpreter" : "interpreter and calls", Math.max(whole - known, 0)));
        return steps;
    }

    private void report(List<ProfiledStep> steps, List<String> interpreted) throws IOException {
        double whole = steps.stream().mapToLong(ProfiledStep::nanos).sum();
        List<ProfiledStep> shown = new ArrayList<>(steps);
        if (top != null) {
            shown.sort((a, b) -> Long.compare(b.nanos(), a.nanos()));
            shown = shown.subList(0, Math.min(top, shown.size()));
        }
        if (!OutputFiles.STANDARD.equals(json)) {
            TextTable table = new TextTable("ms", "share", "device", "step");
            for (ProfiledStep step : shown) {
                table.row(
                        number("%.3f", millis(step.nanos())),
                        number("%.1f%%", 100 * step.nanos() / whole),
                        step.device(),
                        step.name());
            }
            table.row(
                    number("%.3f", millis(whole)), "100.0%", "", "a run, of " + Strings.counted(steps.size(), "step"));
            System.out.print(table);
            interpreted.forEach(part -> System.out.println("not compiled: " + part));
        }
        if (json != null) {
            List<Map<String, Object>> all = new ArrayList<>();
            for (ProfiledStep step : shown) {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("step", step.name());
                map.put("device", step.device());
                map.put("milliseconds", millis(step.nanos()));
                map.put("share", step.nanos() / whole);
                all.add(map);
            }
            OutputFiles.writeJson(
                    Map.of("steps", all, "milliseconds", millis(whole), "runs", iterations, "notCompiled", interpreted),
                    json);
        }
    }

    private double millis(double nanos) {
        return nanos / NANOS_OF_MILLI / iterations;
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
