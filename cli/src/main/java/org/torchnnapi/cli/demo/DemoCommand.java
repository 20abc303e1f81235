package org.torchnnapi.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.torchnnapi.cli.io.Bundled;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionMode;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.TensorQuantizer;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.WholeFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The main job on a small trained network: convert it in each mode, run original and converted files, compare. */
@Command(
        name = "demo",
        header = "Converts the digits sample and shows what runs where.",
        mixinStandardHelpOptions = true,
        description = "Converts the digits sample in each mode and compares the CPU with NNAPI on its test images.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi demo",
            "  torch-nnapi demo --keep /tmp/digits     keeps the converted files"
        })
public final class DemoCommand implements Callable<Integer> {
    /** Set by the launcher: the source tree. */
    private static final String HOME = "torchnnapi.home";

    @Option(
            names = "--samples",
            paramLabel = "DIR",
            description = "The folder samples/digits. Default: that of the source tree.")
    private Path samples;

    @Option(names = "--keep", paramLabel = "DIR", description = "Keeps the converted files in this folder.")
    private Path keep;

    /** What happens to the quantize steps, the file it is about, and what the mode is. */
    private record Mode(ConversionMode mode, String file, String meaning) {}

    private static final List<Mode> MODES = List.of(
            new Mode(ConversionMode.NONE, "digits-none", "float"),
            new Mode(ConversionMode.CORE, "digits-core", "quantized inside, float outside"),
            new Mode(ConversionMode.FULL, "digits-full", "quantized inputs and outputs"));

    @Override
    public Integer call() throws IOException {
        Path folder = samples != null ? samples : Path.of(System.getProperty(HOME, ""), "samples", "digits");
        Digits digits = Digits.read(folder);
        boolean isNew = keep != null && Files.notExists(keep);
        Path target = keep != null ? made(keep) : WholeFile.passing(Files.createTempDirectory("torch-nnapi-demo"));
        if (keep == null) {
            MODES.forEach(mode -> WholeFile.passing(converted(target, mode)));
        }
        try {
            compare(digits, folder, target);
        } finally {
            if (keep == null) {
                for (Mode mode : MODES) {
                    WholeFile.discard(converted(target, mode));
                }
                WholeFile.discard(target);
            } else if (isNew && isEmpty(target)) {
                Files.delete(target);
            }
        }
        return 0;
    }

    private static Path converted(Path folder, Mode mode) {
        return folder.resolve(mode.file + "-nnapi.pt");
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return !files.findAny().isPresent();
        }
    }

    /** @param target where converted files go */
    private static void compare(Digits digits, Path folder, Path target) throws IOException {
        System.out.println("A miniature MobileNetV2, trained by PyTorch on handwritten digits; "
                + digits.images().length + " test images.\n");
        TextTable results = new TextTable("model", "runs on", "accuracy", "agrees with CPU", "ms/image", "file bytes");
        Map<String, Placement> placements = new TreeMap<>();
        try (Progress progress = new Progress()) {
            measure(results, folder.resolve("digits-cpu.pt"), "CPU", digits, null, placements, progress);
            for (Mode mode : MODES) {
                Path original = folder.resolve(mode.file + ".pt");
                Path converted = converted(target, mode);
                convert(mode, original, converted);
                int[] expected = measure(results, original, "CPU", digits, null, placements, progress)
                        .classes();
                measure(results, converted, "NNAPI", digits, expected, placements, progress);
            }
        }
        System.out.println("\n" + results);
        System.out.println("What ran each NNAPI operation:");
        placements.forEach((name, placement) -> System.out.println("  " + name + ": " + devices(placement)));
    }

    private static Path made(Path folder) {
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new CommandFailure(
                    "keep: " + folder
                            + " cannot be made (expected: a folder, or a name that is free where folders may be made)",
                    e);
        }
    }

    private static void convert(Mode mode, Path original, Path converted) throws IOException {
        long start = System.nanoTime();
        ScriptRuntime runtime = Runtimes.standard();
        Conversion conversion = Converter.convert(
                ModelFile.read(original, runtime).eval(),
                ConversionOptions.defaults().withMode(mode.mode),
                runtime);
        if (!conversion.succeeded()) {
            throw new CommandFailure(original + " was " + conversion.report().text());
        }
        conversion.write(converted);
        int operations = conversion.report().operations().values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        System.out.printf(
                Locale.ROOT,
                "converted %s, mode %s (%s): %d NNAPI operations in %d ms%n",
                original.getFileName(),
                mode.mode.name().toLowerCase(Locale.ROOT),
                mode.meaning,
                operations,
                (System.nanoTime() - start) / 1_000_000);
    }

    private static Trial measure(
            TextTable results,
            Path file,
            String where,
            Digits digits,
            int[] expected,
            Map<String, Placement> placements,
            Progress progress)
            throws IOException {
        try (LoadedModel model = ModelFile.load(file, EngineOptions.defaults())) {
            String name = file.getFileName().toString();
            Trial trial = Trial.run(model, digits, preparation(model), name, progress);
            model.placements().forEach(placement -> placements.put(name, placement));
            results.row(
                    name,
                    where,
                    percent(trial.agreement(digits.labels())),
                    expected == null ? "-" : percent(trial.agreement(expected)),
                    String.format(Locale.ROOT, "%.3f", trial.millis()),
                    Files.size(file));
            return trial;
        }
    }

    /**
     * The application's part: a model that takes quantized tensors gets them with the quantization of its bundled
     * input.
     */
    private static UnaryOperator<Tensor> preparation(LoadedModel model) {
        if (Bundled.has(model, "forward")
                && Bundled.inputs(model, "forward", 0).get(0) instanceof Tensor example
                && example.quantization() instanceof Quantization.PerTensor q) {
            return image -> TensorQuantizer.toQuint8(image, q.scale(), q.zeroPoint());
        }
        return image -> image;
    }

    private static String devices(Placement placement) {
        return placement.operations().stream()
                .collect(Collectors.groupingBy(
                        Placement.OperationPlacement::device,
                        TreeMap::new,
                        Collectors.groupingBy(
                                operation -> operation.type().name(), TreeMap::new, Collectors.counting())))
                .entrySet()
                .stream()
                .map(device -> device.getKey() + " ran "
                        + device.getValue().entrySet().stream()
                                .map(type -> type.getValue() + " " + type.getKey())
                                .collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; "));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.2f %%", 100 * share);
    }
}
