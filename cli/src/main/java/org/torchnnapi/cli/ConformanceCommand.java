package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.testkit.captured.CapturedConformance;
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
@Command(name = "conformance", mixinStandardHelpOptions = true, subcommands = {ConformanceCommand.Nnapi.class, ConformanceCommand.Torch.class,
    ConformanceCommand.Captured.class},
    synopsisSubcommandLabel = "COMMAND", description = "Runs conformance cases and closes with 'N passed, N failed, N skipped'.",
    footer = {"", "Examples:", "  torch-nnapi conformance nnapi cases/nnapi --suite generated --filter conv",
        "  torch-nnapi conformance torch cases/torch --suite convert"})
final class ConformanceCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "conformance: no kind given (expected: nnapi, torch or captured)");
    }

    private static void requireFolder(Path folder) {
        if (!Files.exists(folder)) {
            throw new CommandFailure("folder: " + folder + " does not exist (expected: a folder of cases)");
        }
    }

    /** NNAPI test cases on one device. */
    @Command(name = "nnapi", mixinStandardHelpOptions = true, description = "Runs NNAPI test cases on a device; skips what it honestly refuses.")
    static final class Nnapi implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "DIR", description = "Folder of .json.gz case files.")
        private Path folder;

        @Option(names = "--device", defaultValue = "reference", description = "Device to test. Default: ${DEFAULT-VALUE}.")
        private String device;

        @Option(names = "--suite", defaultValue = "generated",
            description = "generated, dynamic-output-shape, validation, quantization-coupling, device-memory, fenced, burst or feature-level. "
                    + "Default: ${DEFAULT-VALUE}.")
        private String suite;

        @Option(names = "--filter", paramLabel = "TEXT", defaultValue = "", description = "Only tests with this text in the name, file or an operation.")
        private String filter;

        @Option(names = {"-v", "--verbose"}, description = "Also show refused tests with the operation and the device's reason.")
        private boolean verbose;

        @Override
        public Integer call() throws IOException {
            requireFolder(folder);
            ConformanceRunner runner = new ConformanceRunner(Devices.installed(), device, NnapiCaseSuite.of(suite), filter, System.out);
            if (verbose) {
                runner.explainRefusals();
            }
            return runner.run(folder).failed() == 0 ? 0 : 1;
        }
    }

    /** Genuine PyTorch's cases. */
    @Command(name = "torch", mixinStandardHelpOptions = true, description = "Runs cases made by genuine PyTorch through the converter and the engine.")
    static final class Torch implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "DIR", description = "Folder with index.json and a folder for each case.")
        private Path folder;

        @Option(names = "--suite", defaultValue = "run", description = "convert, nnapi, run, lite or write. Default: ${DEFAULT-VALUE}.")
        private String suite;

        @Option(names = "--filter", paramLabel = "TEXT", defaultValue = "", description = "Only cases with this text in the name.")
        private String filter;

        @Option(names = {"-v", "--verbose"}, description = "Also show skipped cases with their reasons, and passed ones.")
        private boolean verbose;

        @Option(names = {"-o", "--output"}, paramLabel = "DIR", description = "Keep what suite convert converts, or suite write writes, in this folder.")
        private Path output;

        @Option(names = "--interpret", description = "Run every operator by itself, nothing compiled.")
        private boolean interpret;

        @Mixin
        private DeviceOptions deviceOptions;

        @Override
        public Integer call() throws IOException {
            requireFolder(folder);
            TorchConformance conformance = new TorchConformance(deviceOptions.engine().withSpecialise(!interpret));
            if (output != null) {
                conformance.keepConversions(output);
            }
            return conformance.run(folder, suite, filter, verbose, System.out) == 0 ? 0 : 1;
        }
    }

    /** Modules of genuine PyTorch's own tests. */
    @Command(name = "captured", mixinStandardHelpOptions = true, description = "Runs modules that PyTorch's own tests made and compares with its answers.")
    static final class Captured implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "DIR", description = "Folder of captured modules: KEY.pt, KEY.args, KEY.out and so on.")
        private Path folder;

        @Option(names = "--lite", description = "Run the forms for the lite interpreter, KEY.ptl.")
        private boolean lite;

        @Option(names = "--filter", paramLabel = "TEXT", defaultValue = "", description = "Only cases with this text in the path or the test's name.")
        private String filter;

        @Option(names = {"-v", "--verbose"}, description = "Also show skipped cases with their reasons, and passed ones.")
        private boolean verbose;

        @Option(names = {"-o", "--output"}, paramLabel = "DIR", description = "Write each module anew into this folder, and run what was written.")
        private Path output;

        @Option(names = "--every", paramLabel = "N", defaultValue = "1", description = "Only one of so many cases. Default: ${DEFAULT-VALUE}.")
        private int every;

        @Mixin
        private DeviceOptions deviceOptions;

        @Override
        public Integer call() throws IOException {
            requireFolder(folder);
            CapturedConformance conformance = new CapturedConformance(deviceOptions.engine(), lite).everyOneOf(every);
            if (output != null) {
                conformance.writeTo(output);
            }
            return conformance.run(folder, filter, verbose, System.out) == 0 ? 0 : 1;
        }
    }
}
