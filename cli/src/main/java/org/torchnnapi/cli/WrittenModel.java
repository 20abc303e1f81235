package org.torchnnapi.cli;

import java.nio.file.Path;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that write a TorchScript model. */
final class WrittenModel {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "File to write, for the lite interpreter if it ends in .ptl.")
    private Path output;

    @Mixin
    private LiteOptions lite;

    Path output() {
        return output;
    }

    /** @throws IllegalArgumentException if there is no such runtime, or it does not read that form */
    LiteForm form() {
        return lite.form(output);
    }
}
