package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.testkit.captured.CapturedConformance;
import org.torchnnapi.testkit.exported.ExportedConformance;
import org.torchnnapi.testkit.nnapi.ConformanceRunner;
import org.torchnnapi.testkit.nnapi.NnapiCaseSuite;
import org.torchnnapi.testkit.torch.TorchConformance;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs conformance cases; each failure is shown, the last line counts. */
@Command(
        name = "conformance",
        header = "Runs given cases.",
        mixinStandardHelpOptions = true,
        subcommands = {
            ConformanceCommand.Nnapi.class,
            ConformanceCommand.Torch.class,
            ConformanceCommand.Captured.class,
            ConformanceCommand.Pt2.class
        },
        synopsisSubcommandLabel = "COMMAND",
        description = "Runs conformance cases and closes with 'N passed, N failed, N skipped'.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi conformance nnapi cases/nnapi --suite generated --filter conv",
            "  torch-nnapi conformance torch cases/torch --suite convert"
        })
final class ConformanceCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "conformance: no kind given (expected: nnapi, torch, captured or pt2)");
    }

    private static void requireFolder(Path folder) {
        if (!Files.exists(folder)) {
            throw new CommandFailure("folder: " + folder + " does not exist (expected: a folder of cases)");
        }
    }

    /** NNAPI test cases on one device. */
    @Command(
            name = "nnapi",
            mixinStandardHelpOptions = true,
            description = "Runs NNAPI test cases on a device; skips what it honestly refuses.")
    static final class Nnapi implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "DIR", description = "Folder of .json.gz case files.")
        private Path folder;

        @Option(
                names = "--device",
                defaultValue = "reference",
                description = "Device to test. Default: ${DEFAULT-VALUE}.")
        private String device;

        @Option(
                names = "--suite",
                defaultValue = "generated",
                description =
                        "generated, dynamic-output-shape, validation, quantization-coupling, device-memory, fenced, "
                                + "burst or feature-level. "
                                + "Default: ${DEFAULT-VALUE}.")
        private String suite;

        @Option(
                names = "--filter",
                paramLabel = "TEXT",
                defaultValue = "",
                description = "Only tests with this text in the name, file or an operation.")
        private String filter;

        @Option(
                names = {"-v", "--verbose"},
                description = "Also show refused tests with the operation and the device's reason.")
        private boolean verbose;

        @Override
        public Integer call() throws IOException {
            requireFolder(folder);
            ConformanceRunner runner =
                    new ConformanceRunner(Devices.installed(), device, NnapiCaseSuite.of(suite), filter, System.out);
            if (verbose) {
                runner.explainRefusals();
            }
            return runner.run(folder).failed() == 0 ? 0 : 1;
        }
    }

    /** Genuine PyTorch's cases. */
    @Command(
            name = "torch",
            mixinStandardHelpOptions = true,
            description = "Runs cases made by genuine PyTorch through the converter and the engine.")
    static final class Torch implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "DIR", description = "Folder with index.json and a folder for each case.")
        private Path folder;

        @Option(
                names = "--suite",
                defaultValue = "run",
                description = "convert, nnapi, run, lite, write, programs, or pipelines, every way that a model goes. "
                        + "Default: ${DEFAULT-VALUE}.")
        private String suite;

        @Option(
                names = "--filter",
                paramLabel = "TEXT",
                defaultValue = "",
                description = "Only cases with this text in the name.")
        private String filter;

        @Option(
                names = {"-v", "--verbose"},
                description = "Also show skipped cases with their reasons, and passed ones.")
        private boolean verbose;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "DIR",
                description =
                        "Keep what suite convert converts, or suites write, programs and pipelines write, in this "
                                + "folder.")
        private Path output;

        @Option(
                names = "--profile",
                paramLabel = "COST",
                defaultValue = "phone",
                description = "What suite pipelines converts for beside a phone, as convert takes it; with "
                        + "start=0,bytes=1e15 NNAPI computes what it can, however small.")
        private String profile;

        @Option(
                names = "--pipeline",
                paramLabel = "NAME",
                description = "Of suite pipelines only this one (repeatable).")
        private List<String> pipelines = new ArrayList<>();

        @Option(names = "--interpret", description = "Run every operator by itself, nothing compiled.")
        private boolean interpret;

        @Mixin
        private DeviceOptions deviceOptions;

        @Override
        public Integer call() throws IOException {
            requireFolder(folder);
            TorchConformance conformance = new TorchConformance(
                            deviceOptions.engine().withSpecialise(!interpret))
                    .profile(DeviceSpeed.of(profile))
                    .pipelines(pipelines);
            if (output != null) {
                conformance.keepConversions(output);
            }
            return conformance.run(folder, suite, filter, verbose, System.out) == 0 ? 0 : 1;
        }
    }

    /** Archives of torch.export. */
    @Command(
            name = "pt2",
            mixinStandardHelpOptions = true,
            description = "Runs archives of torch.export that genuine PyTorch made and compares with its answers.")
    static final class Pt2 implements Callable<Integer> {
        @Parameters(
                index = "0",
                paramLabel = "DIR",
                description = "Folder of folders of cases, and of broken archives.")
        private Path folder;

        @Option(
                names = "--filter",
                paramLabel = "TEXT",
                defaultValue = "",
                description = "Only cases with this text in the name.")
        private String filter;

        @Option(
                names = {"-v", "--verbose"},
                description = "Also show passed cases, and what was refused and why.")
        private boolean verbose;

        @Option(
                names = "--save",
                paramLabel = "FORM",
                description = "Write each module anew, as pt, ptl or pt2, and run what was written.")
        private String save;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "DIR",
                description = "With --save pt2, keep what is written in this folder.")
        private Path output;

        @Option(names = "--convert", description = "Convert each module for its first call, and make that.")
        private boolean convert;

        @Option(names = "--interpret", description = "Run every operator by itself, nothing compiled.")
        private boolean interpret;

        @Mixin
        private DeviceOptions deviceOptions;

        @Override
        public Integer call() throws IOException {
            requireFolder(folder);
            ExportedConformance conformance =
                    new ExportedConformance(deviceOptions.engine().withSpecialise(!interpret));
            if (save != null) {
                conformance.savedAs(save);
            }
            if (output != null) {
                conformance.keptIn(output);
            }
            if (convert) {
                conformance.converted();
            }
            return conformance.run(folder, filter, verbose, System.out) == 0 ? 0 : 1;
        }
    }

    /** Modules of genuine PyTorch's own tests. */
    @Command(
            name = "captured",
            mixinStandardHelpOptions = true,
            description = "Runs modules that PyTorch's own tests made and compares with its answers.")
    static final class Captured implements Callable<Integer> {
        @Parameters(
                index = "0",
                paramLabel = "DIR",
                description = "Folder of captured modules: KEY.pt, KEY.args, KEY.out and so on.")
        private Path folder;

        @Option(names = "--lite", description = "Run the forms for the lite interpreter, KEY.ptl.")
        private boolean lite;

        @Option(
                names = "--filter",
                paramLabel = "TEXT",
                defaultValue = "",
                description = "Only cases with this text in the path or the test's name.")
        private String filter;

        @Option(
                names = {"-v", "--verbose"},
                description = "Also show skipped cases with their reasons, and passed ones.")
        private boolean verbose;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "DIR",
                description = "Write each module anew into this folder, and run what was written.")
        private Path output;

        @Option(
                names = "--every",
                paramLabel = "N",
                defaultValue = "1",
                description = "Only one of so many cases. Default: ${DEFAULT-VALUE}.")
        private int every;

        @Option(names = "--interpret", description = "Run every operator by itself, nothing compiled.")
        private boolean interpret;

        @Mixin
        private DeviceOptions deviceOptions;

        @Override
        public Integer call() throws IOException {
            requireFolder(folder);
            CapturedConformance conformance =
                    new CapturedConformance(deviceOptions.engine().withSpecialise(!interpret), lite).everyOneOf(every);
            if (output != null) {
                conformance.writeTo(output);
            }
            return conformance.run(folder, filter, verbose, System.out) == 0 ? 0 : 1;
        }
    }
}
