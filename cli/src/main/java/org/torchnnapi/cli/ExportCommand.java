package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Quantizes, converts and saves a model in one go. Each step is the command that does it alone, with the options that
 * both have.
 */
@Command(
        name = "export",
        header = "All at once: 8-bit, NNAPI, TensorFlow Lite, .ptl.",
        mixinStandardHelpOptions = true,
        description =
                "Makes of a model what is to be shipped: quantizes it, if --int8 says on which inputs, and writes "
                        + "each form that --to names. quantize, convert and save have more options.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi export net.pt --input 'float32[1,3,224,224]'",
            "  torch-nnapi export net.pt -i cat.jpg --int8 pictures/ --to nnapi,tflite,ptl"
        })
final class ExportCommand implements Callable<Integer> {
    private static final String OUTPUT = "--output";
    /** Those that are of this command alone, whatever others call so. */
    private static final Set<String> OWN = Set.of(OUTPUT, "--to", "--timeout", "--help", "--version");

    /** What --to may name. */
    enum Form {
        NNAPI("-nnapi.pt", "convert"),
        TFLITE(".tflite", "convert", "--to", "tflite"),
        PTL(".ptl", "save"),
        PT2(".pt2", "save");

        private final String ending;
        private final List<String> command;

        Form(String ending, String... command) {
            this.ending = ending;
            this.command = List.of(command);
        }
    }

    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2 or .pt file.")
    private Path model;

    @Option(
            names = {"-o", OUTPUT},
            paramLabel = "FOLDER",
            description = "Where the files are written. Default: beside MODEL.")
    private Path folder;

    @Option(
            names = "--to",
            split = ",",
            paramLabel = "FORM",
            description = "What is written, separated by commas: nnapi, tflite, ptl and pt2. Default: nnapi.")
    private List<Form> forms = List.of(Form.NNAPI);

    @Option(
            names = "--int8",
            paramLabel = "WHAT",
            description =
                    "Quantizes first, on a folder of pictures or .npy files, such a file, or the word bundled, as "
                            + "quantize --calibrate takes it (repeatable).")
    private List<String> calibration = new ArrayList<>();

    @Option(
            names = {"-i", "--input"},
            paramLabel = "VALUE",
            description = "An input, as convert takes it (repeatable, in order).")
    private List<String> inputs = new ArrayList<>();

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description = "What happens to quantize and dequantize steps at the ends, as convert takes it.")
    private String mode;

    @Option(
            names = "--android",
            paramLabel = "API_LEVEL",
            description = "Uses only what the NNAPI of this Android takes, as convert does.")
    private Integer android;

    @Option(names = "--per-channel", description = "Gives weights a scale for each output channel.")
    private boolean perChannel;

    @Mixin
    private ImageOptions imageOptions;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        String name = model.getFileName() == null ? "" : model.getFileName().toString();
        Path into = folder == null ? model.toAbsolutePath().getParent() : folder;
        if (!Files.isDirectory(into)) {
            throw new CommandFailure("output: " + into + " (expected: a folder that exists)");
        }
        int dot = name.lastIndexOf('.');
        String stem = dot > 0 ? name.substring(0, dot) : name;
        Path source = model;
        if (!calibration.isEmpty()) {
            stem += "-int8";
            source = into.resolve(stem + ".pt");
            List<String> more = new ArrayList<>();
            calibration.forEach(what -> more.addAll(List.of("--calibrate", what)));
            if (step("quantize", more, model, source, Set.of("--mode")) != 0) {
                return 1;
            }
        }
        int code = 0;
        for (Form form : new LinkedHashSet<>(forms)) {
            List<String> more = form.command.subList(1, form.command.size());
            code |= step(
                    form.command.get(0),
                    more,
                    source,
                    into.resolve(stem + form.ending),
                    form == Form.NNAPI ? Set.of() : Set.of("--mode"));
        }
        return code;
    }

    /** @param less options that the command has, and is not given */
    private int step(String command, List<String> more, Path from, Path to, Set<String> less) {
        CommandLine commands = Main.commandLine(command);
        CommandSpec target = commands.getSubcommands().get(command).getCommandSpec();
        List<String> words = new ArrayList<>(List.of(command, from.toString(), OUTPUT, to.toString()));
        words.addAll(more);
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            String name = option.longestName();
            if (!OWN.contains(name)
                    && !less.contains(name)
                    && !more.contains(name)
                    && target.findOption(name) != null) {
                option.originalStringValues().forEach(value -> words.add(name + "=" + value));
            }
        }
        System.out.println((command.equals("quantize") ? "" : System.lineSeparator()) + "== " + to.getFileName());
        return commands.execute(words.toArray(new String[0]));
    }
}
