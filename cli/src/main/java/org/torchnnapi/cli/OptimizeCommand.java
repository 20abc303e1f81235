package org.torchnnapi.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.optimizer.MobileOptimizer;
import org.torchnnapi.optimizer.OptimizationReport;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a model ready for a phone's processor. */
@Command(
        name = "optimize",
        header = "Freezes, folds and packs, as optimize_for_mobile does.",
        mixinStandardHelpOptions = true,
        description =
                "Freezes a TorchScript model, folds batch normalization, removes dropout and packs convolutions and "
                        + "linear layers ahead of time.",
        footer = {
            "",
            "All methods and bundled inputs are kept. With bundled inputs the result is compared with the original "
                    + "before it is written.",
            "",
            "Examples:",
            "  torch-nnapi optimize net.pt -o net-mobile.pt",
            "  torch-nnapi optimize net.pt -o net.ptl --target pytorch-1.10"
        })
final class OptimizeCommand implements Callable<Integer> {
    private static final String METHOD = "forward";

    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt2 or .pt file.")
    private Path file;

    @Mixin
    private WrittenModel written;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also writes the report as JSON; - for standard output, in place of the text.")
    private String json;

    @Override
    public Integer call() throws IOException {
        LiteForm lite = written.form();
        OutputFiles outputs = new OutputFiles(file);
        Path to = outputs.check(written.output());
        outputs.checkUnlessStandard(json);
        ScriptRuntime runtime = Runtimes.standard();
        ScriptModule original = ModelFile.read(file, runtime).eval();
        MobileOptimizer.Result result = MobileOptimizer.optimize(original);
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        ModelFile.archive(result.writer(), original.source().extraFiles(), to, lite)
                .write(made);
        OptimizationReport report = result.report()
                .withNote(check(original, ScriptModule.of(TorchScriptArchive.of(made.toByteArray()), runtime)));
        if (json != null) {
            OutputFiles.writeJson(report.toMap(), json);
        }
        ModelFile.archive(result.writer(), original.source().extraFiles(), to, lite)
                .write(to);
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.println(report.text());
            System.out.println(
                    "wrote " + to + " (" + Files.size(to) + " bytes; the original has " + Files.size(file) + ")");
        }
        return 0;
    }

    /** What comparing on bundled inputs showed; fails if the answers differ. */
    private static String check(ScriptModule original, ScriptModule optimized) {
        List<List<Object>> bundled = original.method(METHOD) == null ? List.of() : original.bundledInputs();
        if (bundled.isEmpty()) {
            return "not compared with the original, as it has no bundled inputs";
        }
        Object[] arguments = bundled.get(0).toArray();
        if (!(original.call(METHOD, arguments) instanceof Tensor expected)
                || !(optimized.call(METHOD, arguments) instanceof Tensor actual)) {
            return "not compared with the original, as it answers with more than a tensor";
        }
        SelfCheck.Result result = SelfCheck.compare(List.of(expected), List.of(actual), SelfCheck.Bound.REAL);
        if (!result.agrees()) {
            throw new CommandFailure("the optimized model answers otherwise: " + result.text()
                    + " (expected: the original's answer; please report this model)");
        }
        return "answers as the original does: " + result.text();
    }
}
