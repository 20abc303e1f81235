package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.driver.DeviceProfile;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.torchscript.format.WholeFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tables of models over devices: what each device would take, and what was measured here. */
@Command(
        name = "survey",
        header = "Compares converted models over all device profiles.",
        mixinStandardHelpOptions = true,
        description =
                "Prints, as Markdown, how converted models fare on every built-in device profile and on the devices "
                        + "here: operations that each takes, parts,"
                        + " tensors handed over, microseconds as the devices estimate them, and as measured where a "
                        + "device is here; then which operation runs where.",
        footer = {"", "Examples:", "  torch-nnapi survey net-none-nnapi.pt net-core-nnapi.pt net-full-nnapi.pt"})
final class SurveyCommand implements Callable<Integer> {
    private static final int WARMUP = 10;
    private static final double MICROS_OF_NANO = 1e-3;

    @Parameters(arity = "1..*", paramLabel = "MODEL", description = "Converted .pt files.")
    private List<Path> files;

    @Mixin
    private InputOptions inputOptions;

    @Option(
            names = "--iter",
            paramLabel = "N",
            defaultValue = "50",
            description = "Runs to measure on a device that is here. Default: ${DEFAULT-VALUE}.")
    private int iterations;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Writes the tables to this file instead.")
    private Path output;

    @Override
    public Integer call() throws IOException {
        if (output != null) {
            new OutputFiles().reading(files).reading(inputOptions.files()).check(output);
        }
        if (iterations < 1) {
            throw new CommandFailure("iter: " + iterations + " (expected: >= 1)");
        }
        StringBuilder table = new StringBuilder(
                "| model | device | operations it takes | parts | hand-overs | estimated us | measured us |\n"
                        + "|---|---|---|---|---|---|---|\n");
        StringBuilder where = new StringBuilder();
        try (Progress progress = new Progress()) {
            tables(table, where, progress);
        }
        String text = table.toString() + where;
        if (output == null) {
            System.out.print(text);
        } else {
            WholeFile.write(output, text);
            System.out.println("wrote " + output);
        }
        return 0;
    }

    private void tables(StringBuilder table, StringBuilder where, Progress progress) throws IOException {
        int profiles = DeviceProfile.builtIn().size() + 1;
        int done = 0;
        for (Path file : files) {
            where.append("\n**")
                    .append(ShownText.markdown(file.getFileName().toString()))
                    .append("**\n\n| device | runs | leaves to the reference device |\n|---|---|---|\n");
            for (String name : DeviceProfile.builtIn()) {
                progress.update("survey", done++, (long) files.size() * profiles);
                DeviceProfile profile = DeviceProfile.builtIn(name);
                rows(
                        file,
                        name,
                        EngineOptions.defaults().withDevices(Devices.of(new Driver[] {profile})),
                        false,
                        table,
                        where);
            }
            progress.update("survey", done++, (long) files.size() * profiles);
            rows(file, "here", EngineOptions.defaults(), true, table, where);
        }
    }

    private void rows(
            Path file, String name, EngineOptions options, boolean measured, StringBuilder table, StringBuilder where)
            throws IOException {
        try (LoadedModel model = ModelFile.load(file, options)) {
            Object[] inputs = inputOptions.read(file, model, "forward").toArray();
            model.call("forward", inputs);
            List<Placement> placements = model.placements();
            if (placements.isEmpty()) {
                throw new CommandFailure(
                        "model: " + file + " has no NNAPI part (expected: a converted file; see the convert command)");
            }
            String reference = options.devices().reference().name();
            Map<String, Integer> taken = new TreeMap<>();
            Map<String, Integer> left = new TreeMap<>();
            double micros = 0;
            int parts = 0;
            int boundaries = 0;
            for (Placement placement : placements) {
                for (Placement.OperationPlacement operation : placement.operations()) {
                    (operation.device().equals(reference) ? left : taken)
                            .merge(operation.type().name(), 1, Integer::sum);
                    micros += operation.cost();
                }
                micros += placement.boundaries().stream()
                        .mapToDouble(Placement.Boundary::cost)
                        .sum();
                parts += placement.partitions().size();
                boundaries += (int) placement.boundaries().stream()
                        .filter(b -> !b.from().equals("application") && !b.to().equals("application"))
                        .count();
            }
            int takes = sum(taken);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %d of %d | %d | %d | %.1f | %s |%n",
                    ShownText.markdown(file.getFileName().toString()),
                    name,
                    takes,
                    takes + sum(left),
                    parts,
                    boundaries,
                    micros,
                    measured ? String.format(Locale.ROOT, "%.1f", measure(model, inputs)) : ""));
            where.append("| ")
                    .append(name)
                    .append(" | ")
                    .append(text(taken))
                    .append(" | ")
                    .append(text(left))
                    .append(" |\n");
        }
    }

    private double measure(LoadedModel model, Object[] inputs) {
        for (int i = 0; i < WARMUP; i++) {
            model.call("forward", inputs);
        }
        double[] micros = new double[iterations];
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            model.call("forward", inputs);
            micros[i] = (System.nanoTime() - start) * MICROS_OF_NANO;
        }
        Arrays.sort(micros);
        return micros[(iterations - 1) / 2];
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static String text(Map<String, Integer> counts) {
        return counts.isEmpty()
                ? "none"
                : new ArrayList<>(counts.entrySet())
                        .stream().map(e -> e.getValue() + " " + e.getKey()).collect(Collectors.joining(", "));
    }
}
