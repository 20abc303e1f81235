package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.Stack;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.GivenInputs;
import org.torchnnapi.cli.io.InputText;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.converter.CompilationPreference;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionMode;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tflite.TfliteExport;
import org.torchnnapi.tflite.UnsupportedByTflite;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.format.WholeFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Makes an NNAPI file of a TorchScript file, or says everything that stands against it. */
@Command(
        name = "convert",
        header = "Makes a file that runs on NNAPI.",
        mixinStandardHelpOptions = true,
        description = "Converts a TorchScript model to one that runs on NNAPI.",
        footer = {
            "",
            "Without --input the model's bundled inputs describe its inputs, or the example",
            "and the open sizes of a .pt2.",
            "",
            "Examples:",
            "  torch-nnapi convert net.pt --input 'float32[1,3,224,224]' --nhwc",
            "  torch-nnapi convert net.pt --input cat.npy          shapes of an example",
            "  torch-nnapi convert quantized.pt --mode core",
            "  torch-nnapi convert core.pt --input 'quint8[1,3,224,224]@0.0186,114:nhwc'",
            "  torch-nnapi convert net.pt --input 'float32[?,3,?,?]'         open sizes",
            "  torch-nnapi convert net.pt --android 28             for the NNAPI of Android 9",
            "  torch-nnapi convert net.pt --to tflite              for TensorFlow Lite",
            "  torch-nnapi convert coder.pt --method encode --input 'float32[1,64]' \\",
            "      --method decode --input 'float32[1,8]'",
            "  torch-nnapi convert net.pt --method forward --input 'float32[1,3,64,64]' \\",
            "      --method forward --input 'float32[1,3,96,96]'   for two shapes",
            "  torch-nnapi convert detector.pt --input '[float32[3,320,320]]'     a list",
            "  torch-nnapi convert net.pt --json -                 refusals, for programs"
        })
final class ConvertCommand implements Callable<Integer> {
    /**
     * A method to convert.
     *
     * @param name of the method
     * @param before how many inputs are named before it, which belong to methods named earlier
     */
    record MethodInputs(String name, int before) {}

    /** Notes where among the inputs a method is named. */
    static final class MethodNames implements IParameterConsumer {
        @Override
        public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
            ConvertCommand convert = (ConvertCommand) command.userObject();
            if (words.isEmpty()) {
                throw new ParameterException(
                        command.commandLine(), "Missing required parameter for option '--method' (NAME)");
            }
            convert.methods.add(new MethodInputs(words.pop(), convert.inputs.size()));
        }
    }

    /** What is written. */
    enum Format {
        TORCHSCRIPT(".pt"),
        TFLITE(".tflite");

        private final String ending;

        Format(String ending) {
            this.ending = ending;
        }
    }

    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2 or .pt file.")
    private Path file;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description =
                    "File to write, for the lite interpreter if it ends in .ptl. Default: MODEL with -nnapi before "
                            + "its ending, or with the ending .tflite.")
    private Path output;

    @Option(
            names = {"-i", "--input"},
            paramLabel = "VALUE",
            description = "An input, as run takes it (repeatable, in order): a .npy file or a picture, on which the "
                    + "self-check runs too, type and sizes such as "
                    + "float32[1,3,224,224], @scale,zero_point behind them if quantized, :nhwc if channels "
                    + "last; [float32[3,320,320]], {\"left\": float32[1,8]}, a number, "
                    + "None. A size of 0 is set at load, of -1 or ? at each run.")
    private List<String> inputs = new ArrayList<>();

    @Mixin
    private ImageOptions imageOptions;

    @Option(
            names = "--example",
            paramLabel = "VALUE",
            description =
                    "As --input, of files alone. Beside an --input with open sizes it says the sizes to begin with, "
                            + "for which it is judged what pays (repeatable, in order).")
    private List<String> examples = new ArrayList<>();

    @Option(
            names = "--method",
            paramLabel = "NAME",
            parameterConsumer = MethodNames.class,
            description = "The method to convert, whose inputs follow (repeatable: several "
                    + "methods, or one again for other shapes, among which the file chooses when it runs). "
                    + "Default: forward, or the only one.")
    private List<MethodInputs> methods = new ArrayList<>();

    @Option(
            names = "--nhwc",
            negatable = true,
            description = "Makes all four-dimensional inputs channels last, or with --no-nhwc none.")
    private Boolean channelsLast;

    @Option(
            names = "--mode",
            defaultValue = "none",
            description = "What happens to quantize and dequantize steps at the ends: "
                    + "none (nothing special), core (they stay on the CPU), full (the application passes quantized "
                    + "tensors) or "
                    + "embedded (they become part of the NNAPI model). Default: ${DEFAULT-VALUE}.")
    private ConversionMode mode;

    @Option(
            names = "--preference",
            paramLabel = "WHAT",
            defaultValue = "sustained_speed",
            description = "What NNAPI optimizes for: low_power, fast_single_answer or sustained_speed. Default: "
                    + "${DEFAULT-VALUE}.")
    private CompilationPreference preference;

    @Option(names = "--relaxed", description = "Lets NNAPI compute float32 operations in float16.")
    private boolean relaxed;

    @Option(
            names = "--self-check",
            negatable = true,
            fallbackValue = "true",
            defaultValue = "true",
            description =
                    "Runs the original and the converted model on the same input and compares; with --no-self-check "
                            + "not. Default: ${DEFAULT-VALUE}.")
    private boolean selfCheck;

    @Option(
            names = "--check-limit",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description =
                    "How long the self-check may take, and ten times that where results differ and the operation is "
                            + "looked for; models with loops that run "
                            + "longer are refused. Default: ${DEFAULT-VALUE}.")
    private int checkLimit;

    @Mixin
    private LiteOptions lite;

    @Option(
            names = "--max-segments",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Parts that go to NNAPI at most, where it cannot take the whole model. Default: ${DEFAULT-VALUE}.")
    private int mostSegments;

    @Option(
            names = "--least-work",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Multiply-adds that a part for NNAPI has at least, where NNAPI cannot take the whole model; that "
                            + "it must pay holds besides. Default: ${DEFAULT-VALUE}.")
    private long leastWork;

    @Option(
            names = "--android",
            paramLabel = "API_LEVEL",
            description =
                    "Uses only what the NNAPI of this Android takes: 27 (8.1), 28 (9), 29 (10), 30 (11) or 31 (12). "
                            + "The report says what each would compute. Files for 27 and 28 are for this library, as "
                            + "PyTorch's loader wants Android 10.")
    private Integer android;

    @Option(
            names = "--profile",
            paramLabel = "NAME|FILE|COST",
            defaultValue = "phone",
            description = "The device that the file is for. A profile, as explain takes it: functions of quantized "
                    + "tensors keep to operations that it has. Or what the cost of parts for NNAPI is counted for, "
                    + "where it cannot take the whole model: phone, a phone's accelerator, or numbers in which a "
                    + "device differs from it, such as accelerator=2e12,start=3e-4 (processor and accelerator in "
                    + "multiply-adds a second, start in seconds, bytes a second). Default: ${DEFAULT-VALUE}.")
    private String profile;

    @Option(
            names = "--exact",
            description = "Computes functions of quantized tensors to the bit as PyTorch does, through real numbers, "
                    + "which few accelerators take. Without it they stay on bytes where that is within one quantum "
                    + "for all 256 values, by the operations of the release; the report counts what differs.")
    private boolean exact;

    @Option(
            names = "--keep",
            paramLabel = "METHOD",
            description =
                    "A method to keep beside forward (repeatable). Methods that forward does not call are kept anyway.")
    private Set<String> kept = new LinkedHashSet<>();

    @Option(
            names = "--with-cpu-fallback",
            description = "Keeps the original of forward beside it as forward_cpu, for where NNAPI fails.")
    private boolean cpuFallback;

    @Option(
            names = "--runtime",
            paramLabel = "NAME",
            defaultValue = "pytorch",
            description = "Who is to run the file: pytorch, or torch-nnapi, this library alone, "
                    + "whose files may have branches and loops of NNAPI, and weights with a scale a channel. "
                    + "A file that needs it says so, and PyTorch refuses it by name. Default: "
                    + "${DEFAULT-VALUE}.")
    private String reader;

    @Option(
            names = "--to",
            paramLabel = "FORMAT",
            defaultValue = "torchscript",
            description = "torchscript, or tflite: the same graph as a file of TensorFlow Lite, "
                    + "for models of which NNAPI computes all; what TensorFlow Lite lacks is refused by "
                    + "name. Default: ${DEFAULT-VALUE}.")
    private Format format;

    @Option(
            names = "--lines",
            description =
                    "Keeps in the file which module and line of Python each NNAPI operation comes from, for explain "
                            + "--html.")
    private boolean lines;

    @Option(
            names = {"-v", "--verbose"},
            description = "Shows each refusal in full, not only the first for each operator and rule.")
    private boolean verbose;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also writes the report as JSON; - for standard output, in place of the text.")
    private String json;

    @Override
    public Integer call() throws IOException {
        Path wantedTarget = output == null ? besideModel() : output;
        LiteForm liteForm = lite.form(wantedTarget);
        requireFormat();
        OutputFiles outputs = new OutputFiles(file).reading(files());
        Path target = outputs.check(wantedTarget);
        outputs.checkUnlessStandard(json);
        ScriptRuntime runtime = Runtimes.standard();
        ScriptModule module = ModelFile.read(file, runtime).eval();
        List<ConversionOptions> wanted = wanted(module);
        if (format == Format.TFLITE && inputs.isEmpty() && examples.isEmpty()) {
            // TensorFlow Lite's interpreter resizes inputs by itself, so that no size is left open.
            List<List<Object>> bundled = module.bundledInputs();
            wanted = bundled.isEmpty() ? wanted : List.of(wanted.get(0).withExample(bundled.get(0)));
        }
        List<ConversionOptions> asked = wanted;
        Conversion conversion;
        try (Progress progress = new Progress()) {
            conversion = progress.during(
                    "converting " + file.getFileName() + (selfCheck ? " and checking it" : ""),
                    () -> Converter.convert(module, asked, runtime));
        }
        byte[] flat = conversion.succeeded() && format == Format.TFLITE ? flatBuffer(conversion) : null;
        if (json != null) {
            OutputFiles.writeJson(conversion.report().toMap(), json);
        }
        if (!OutputFiles.STANDARD.equals(json)) {
            (conversion.succeeded() ? System.out : System.err)
                    .println(
                            verbose
                                    ? conversion.report().fullText()
                                    : conversion.report().text());
        }
        if (!conversion.succeeded()) {
            return 1;
        }
        if (flat != null) {
            WholeFile.write(target, out -> out.write(flat));
        } else {
            Map<String, ByteBuffer> stated = imageOptions.stated(module.source().extraFiles());
            ModelFile.write(conversion.withExtraFiles(stated), runtime, target, liteForm);
        }
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.println("wrote " + target + " (" + Files.size(target) + " bytes; the original has "
                    + Files.size(file) + ")");
        }
        return 0;
    }

    private void requireFormat() {
        if (!reader.equals("pytorch") && !isForOwnRuntime()) {
            throw new CommandFailure("runtime: " + reader + " (expected: pytorch or torch-nnapi)");
        }
        if (isForOwnRuntime() && format == Format.TFLITE) {
            throw new CommandFailure("runtime: " + reader + " with --to tflite (expected: one of them)");
        }
        boolean tflite = output != null && output.getFileName().toString().endsWith(Format.TFLITE.ending);
        if (tflite && format != Format.TFLITE) {
            throw new CommandFailure("output: " + output
                    + " ends as TensorFlow Lite's files do (expected: --to tflite, or another ending)");
        }
        if (format == Format.TFLITE && mode != ConversionMode.NONE) {
            throw new CommandFailure("to: tflite with --mode (expected: no --mode, as that is of PyTorch's files)");
        }
        boolean plain = format == Format.TFLITE && inputs.stream().allMatch(InputText::isPlain);
        if (plain
                && inputs.stream()
                        .anyMatch(input ->
                                Arrays.stream(InputText.parse(input).shape()).anyMatch(size -> size <= 0))) {
            throw new CommandFailure(
                    "to: tflite with sizes that are left open (expected: fixed sizes; TensorFlow Lite's interpreter "
                            + "resizes the inputs of a file by itself)");
        }
        if (format == Format.TFLITE && android != null) {
            throw new CommandFailure("android: " + android
                    + " with --to tflite (expected: one of them; TensorFlow Lite's operators do not depend "
                    + "on Android)");
        }
    }

    /** @throws CommandFailure if TensorFlow Lite cannot have the model */
    private static byte[] flatBuffer(Conversion conversion) {
        if (conversion.whole() == null) {
            throw new CommandFailure(
                    "to: tflite, but NNAPI computes only parts of the model (expected: one that converts as a whole)\n"
                            + conversion.report().text());
        }
        try {
            return TfliteExport.write(conversion);
        } catch (UnsupportedByTflite e) {
            throw new CommandFailure("to: tflite, which lacks\n  " + String.join("\n  ", e.reasons()), e);
        }
    }

    private Duration checkLimit() {
        if (checkLimit < 1) {
            throw new CommandFailure("check-limit: " + checkLimit + " (expected: at least 1, seconds)");
        }
        return Duration.ofSeconds(checkLimit);
    }

    /** Of each method the options; inputs before the first name are that one's. */
    private List<ConversionOptions> wanted(ScriptModule module) throws IOException {
        if (methods.size() < 2) {
            return List.of(options(module, inputs, examples)
                    .withMethod(methods.isEmpty() ? null : methods.get(0).name()));
        }
        if (!examples.isEmpty() || format == Format.TFLITE) {
            throw new CommandFailure("method: " + methods.size() + " of them with "
                    + (format == Format.TFLITE ? "--to tflite" : "--example")
                    + " (expected: --input, or one method)");
        }
        List<ConversionOptions> wanted = new ArrayList<>();
        for (int i = 0; i < methods.size(); i++) {
            int from = i == 0 ? 0 : methods.get(i).before();
            int to =
                    i + 1 == methods.size() ? inputs.size() : methods.get(i + 1).before();
            wanted.add(options(module, inputs.subList(from, to), List.of())
                    .withMethod(methods.get(i).name()));
        }
        return wanted;
    }

    private ConversionOptions options(ScriptModule module, List<String> inputs, List<String> examples)
            throws IOException {
        ConversionOptions options = ConversionOptions.defaults()
                .withMode(mode)
                .withPreference(preference)
                .withRelaxed(relaxed)
                .withSelfCheck(selfCheck)
                .withCheckLimit(checkLimit())
                .withSegmentCost(segmentCost())
                .withKeptMethods(kept)
                .withLines(lines)
                .withExact(exact)
                .withCpuFallback(cpuFallback);
        boolean plain = inputs.stream().allMatch(InputText::isPlain);
        if (!inputs.isEmpty() && plain) {
            options = options.withInputs(inputs.stream().map(InputText::parse).toList());
        }
        if (!examples.isEmpty() && !plain) {
            throw new CommandFailure("input: "
                    + inputs.stream()
                            .filter(input -> !InputText.isPlain(input))
                            .findFirst()
                            .get() + " beside --example (expected: types and sizes, such as "
                    + "float32[1,3,?,?], which the example then begins with; without open sizes --input "
                    + "alone; arguments that may be None can be left out at the end)");
        }
        if (!examples.isEmpty() || !inputs.isEmpty() && !plain) {
            options = options.withExample(given(module, examples.isEmpty() ? inputs : examples));
        }
        if (android != null || isForOwnRuntime() || format == Format.TFLITE || isDevice()) {
            options = options.withTarget((android == null ? Target.DEFAULT : target())
                    .withOwnRuntime(isForOwnRuntime())
                    .withDevice(isDevice() ? ProfileFiles.read(profile) : null));
        }
        if (channelsLast != null) {
            options = options.withChannelsLast(channelsLast);
        }
        return options;
    }

    private List<Object> given(ScriptModule module, List<String> values) throws IOException {
        return new GivenInputs(values, imageOptions.images(module.source().extraFiles()), new Random(0)).read();
    }

    private boolean isForOwnRuntime() {
        return reader.equals("torch-nnapi");
    }

    /** Whether the profile is a device's, not the cost of one. */
    private boolean isDevice() {
        return !profile.contains("=") && !profile.strip().equalsIgnoreCase("phone");
    }

    private Target target() {
        try {
            return Target.ofAndroid(android);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(new GivenInputs(examples).files());
        files.addAll(new GivenInputs(inputs.stream()
                        .filter(input -> !InputText.isPlain(input))
                        .toList())
                .files());
        if (isDevice()) {
            files.addAll(ProfileFiles.files(profile));
        }
        return files;
    }

    private SegmentCost segmentCost() {
        try {
            return new SegmentCost(mostSegments, leastWork, isDevice() ? DeviceSpeed.PHONE : DeviceSpeed.of(profile));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private Path besideModel() {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        if (format == Format.TFLITE) {
            return file.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + Format.TFLITE.ending);
        }
        return OutputFiles.beside(file, "-nnapi");
    }
}
