package org.torchnnapi.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CalibrationFiles;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionMode;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.quantizer.CalibrationInputs;
import org.torchnnapi.quantizer.ObserverKind;
import org.torchnnapi.quantizer.QuantizationOptions;
import org.torchnnapi.quantizer.Quantizer;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.format.WholeFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Quantizes a float model after training. */
@Command(
        name = "quantize",
        header = "Makes a model of 8-bit integers of a float one.",
        mixinStandardHelpOptions = true,
        description =
                "Quantizes a float TorchScript model after training, in PyTorch's own quantized operators, and with "
                        + "--mode converts it too.",
        footer = {
            "",
            "Pictures are prepared as torchvision's classification presets do; for others give .npy files. Inputs "
                    + "and outputs stay float.",
            "",
            "Examples:",
            "  torch-nnapi quantize net.pt --calibrate pictures/ --mode core",
            "  torch-nnapi quantize net.pt --calibrate x.npy --observer histogram",
            "  torch-nnapi quantize net.pt --calibrate x.npy --keep-float 'features.0*'",
            "  torch-nnapi quantize text.pt --dynamic"
        })
final class QuantizeCommand implements Callable<Integer> {
    private static final String BUNDLED = "bundled";

    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2 or .pt file.")
    private Path file;

    @Option(
            names = "--calibrate",
            paramLabel = "WHAT",
            description = "Inputs to observe activations on: a folder of pictures and .npy files, such a file, "
                    + "or the word bundled for the model's bundled inputs (repeatable). Each row of a .npy file is "
                    + "an input. For a model of several arguments: .npz files, or a "
                    + "folder of folders, each of which holds the arguments of one input in the order of their names.")
    private List<String> calibrate = new ArrayList<>();

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            description = "Rows of a .npy file that are one input. Default: ${DEFAULT-VALUE}.")
    private int batch;

    @Mixin
    private ImageOptions imageOptions;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "File to write, for the lite interpreter if it ends in .ptl. Default: MODEL with -quantized "
                    + "before its ending.")
    private Path output;

    @Option(
            names = "--mode",
            description = "Also converts the quantized model to NNAPI in this mode (none, core, full or embedded; see "
                    + "convert), "
                    + "to the output's name with -nnapi before its ending.")
    private ConversionMode mode;

    @Option(
            names = "--observer",
            defaultValue = "minmax",
            description =
                    "How ranges are chosen: minmax (least and greatest value), histogram (least squared error) or "
                            + "percentile (without 0.01 percent on each side). Default: ${DEFAULT-VALUE}.")
    private ObserverKind observer;

    @Option(
            names = "--per-channel",
            description =
                    "Gives weights a scale for each output channel. NNAPI parts of PyTorch's files have no place for "
                            + "them: converted, these layers compute in float.")
    private boolean perChannel;

    @Option(names = "--equalize", description = "First scales the weights of neighboring layers against each other.")
    private boolean equalize;

    @Option(
            names = "--correct-bias",
            description = "Lets biases make up for what rounding the weights adds on average.")
    private boolean correctBias;

    @Option(
            names = "--dynamic",
            description =
                    "Quantizes weights of linear, LSTM and GRU layers only, and their inputs as they come; needs no "
                            + "calibration.")
    private boolean dynamic;

    @Option(
            names = "--keep-float",
            paramLabel = "PATTERN",
            description = "What stays float: paths of modules or operators, with * and ? (repeatable).")
    private List<String> keepFloat = new ArrayList<>();

    @Option(
            names = "--budget",
            paramLabel = "DB",
            description =
                    "The least signal to noise of the outputs in decibels; layers that lose most stay float until it "
                            + "is met.")
    private Double budget;

    @Mixin
    private LiteOptions lite;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also writes the report as JSON; - for standard output, in place of the text.")
    private String json;

    @Override
    public Integer call() throws IOException {
        Path wanted = output == null ? OutputFiles.beside(file, "-quantized") : output;
        LiteForm liteForm = lite.form(wanted);
        if (!dynamic && calibrate.isEmpty()) {
            throw new CommandFailure(
                    "calibrate: nothing (expected: --calibrate with a folder, .npy files or bundled; or --dynamic)");
        }
        if (budget != null && !Double.isFinite(budget)) {
            throw new CommandFailure("budget: " + budget + " (expected: a number of decibels)");
        }
        List<Path> files = calibrate.stream()
                .filter(word -> !word.equals(BUNDLED))
                .map(Path::of)
                .toList();
        OutputFiles outputs = new OutputFiles(file).reading(files);
        Path to = outputs.check(wanted);
        Path converted = mode == null ? null : outputs.check(OutputFiles.beside(to, "-nnapi"));
        outputs.checkUnlessStandard(json);
        ScriptRuntime runtime = Runtimes.standard();
        ScriptModule original = ModelFile.read(file, runtime).eval();
        CalibrationInputs inputs = inputs(original, files);
        if (inputs instanceof CalibrationFiles read) {
            // Those in the folders that were given, too.
            outputs.reading(read.files());
        }
        Quantizer.Result result;
        try (Progress progress = new Progress()) {
            result = Quantizer.quantize(original, inputs, options(), progress::update);
        }
        byte[] made = bytes(result, original, to, liteForm);
        Conversion conversion = converted == null ? null : convert(made, inputs, runtime);
        if (json != null) {
            OutputFiles.writeJson(result.report().toMap(), json);
        }
        WholeFile.write(to, out -> out.write(made));
        boolean succeeded = conversion == null || conversion.succeeded();
        if (conversion != null && succeeded) {
            ModelFile.write(conversion, runtime, converted, liteForm);
        }
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.println(result.report().text());
            if (inputs instanceof CalibrationFiles read && !read.skipped().isEmpty()) {
                System.out.println("  " + Strings.counted(read.skipped().size(), "file") + " skipped:");
                read.skipped().forEach(reason -> System.out.println("    " + reason));
            }
            System.out.println(
                    "wrote " + to + " (" + Files.size(to) + " bytes; the original has " + Files.size(file) + ")");
            if (conversion != null && succeeded) {
                System.out.println(conversion.report().text());
                System.out.println("wrote " + converted + " (" + Files.size(converted) + " bytes)");
            }
        }
        if (!succeeded) {
            System.err.println(conversion.report().text());
            return 1;
        }
        return 0;
    }

    private QuantizationOptions options() {
        return QuantizationOptions.defaults()
                .withObserver(observer)
                .withPerChannel(perChannel)
                .withEqualize(equalize)
                .withCorrectBias(correctBias)
                .withDynamic(dynamic)
                .withKeepFloat(keepFloat)
                .withBudget(budget);
    }

    private CalibrationInputs inputs(ScriptModule model, List<Path> files) throws IOException {
        if (calibrate.contains(BUNDLED)) {
            if (!files.isEmpty()) {
                throw new CommandFailure("calibrate: bundled and files (expected: one of them)");
            }
            List<List<Object>> bundled = model.bundledInputs();
            if (bundled.isEmpty()) {
                throw new CommandFailure(
                        "calibrate: bundled, but the model has no bundled inputs (expected: a folder or .npy files)");
            }
            return CalibrationInputs.of(bundled);
        }
        if (files.isEmpty()) {
            return CalibrationInputs.of(List.of());
        }
        if (batch < 1) {
            throw new CommandFailure("batch: " + batch + " (expected: >= 1)");
        }
        return new CalibrationFiles(files, imageOptions.images(model.source().extraFiles()), batch);
    }

    private byte[] bytes(Quantizer.Result result, ScriptModule original, Path to, LiteForm lite) throws IOException {
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        Map<String, ByteBuffer> extraFiles = original.source().extraFiles();
        ArchiveWriter archive = ModelFile.archive(result.writer(), extraFiles, to, lite);
        imageOptions.stated(extraFiles).forEach(archive::extra);
        archive.write(made);
        return made.toByteArray();
    }

    /** Converts for the first input's shape, which the self-check runs on too. */
    private Conversion convert(byte[] quantized, CalibrationInputs inputs, ScriptRuntime runtime) throws IOException {
        ConversionOptions options = ConversionOptions.defaults().withMode(mode);
        ScriptModule module = ScriptModule.of(TorchScriptArchive.of(quantized), runtime);
        if (module.bundledInputs().isEmpty()) {
            if (inputs.size() == 0) {
                throw new CommandFailure("mode: " + mode.name().toLowerCase(Locale.ROOT)
                        + ", but no input says for which shapes (expected: --calibrate with one, or a model "
                        + "with bundled inputs)");
            }
            options = options.withExample(inputs.read(0).stream()
                    .map(value -> {
                        if (value instanceof Tensor tensor) {
                            return tensor;
                        }
                        throw new CommandFailure(
                                "mode: a model with an input that is no tensor (expected: tensors only; convert it "
                                        + "without --mode here)");
                    })
                    .toList());
        }
        return Converter.convert(module, options, runtime);
    }
}
