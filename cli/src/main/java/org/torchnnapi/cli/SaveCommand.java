package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Writes a model again, for another runtime. */
@Command(name = "save", mixinStandardHelpOptions = true,
    description = "Writes a TorchScript model again: for the lite interpreter of a published PyTorch if the output ends in .ptl, otherwise for torch.jit.load.",
    footer = {"", "Examples:", "  torch-nnapi save net.pt -o net.ptl", "  torch-nnapi save net.pt -o net.ptl --target pytorch-1.9",
        "  torch-nnapi save net.pt -o net.ptl --flatbuffer", "  torch-nnapi save old.pt -o new.pt              in today's meaning of operators"})
final class SaveCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "MODEL", description = "A .pt or .ptl file.")
    private Path file;

    @Mixin
    private WrittenModel written;

    @Override
    public Integer call() throws IOException {
        LiteForm lite = written.form();
        Path to = new OutputFiles(file).check(written.output());
        ScriptModule module = ModelFile.read(file, Runtimes.standard());
        ModelFile.write(module, module.archive().extraFiles(), to, lite);
        System.out.println("wrote " + to + " (" + Files.size(to) + " bytes; the original has " + Files.size(file) + ")"
            + (ModelFile.isLite(to) ? " for " + lite.title() : ""));
        return 0;
    }
}
