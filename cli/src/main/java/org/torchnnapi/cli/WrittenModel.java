package org.torchnnapi.cli;

import java.nio.file.Path;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import picocli.CommandLine.Option;

/** The options of commands that write a TorchScript model. */
final class WrittenModel {
    @Option(names = {"-o", "--output"}, required = true, paramLabel = "FILE", description = "File to write, for the lite interpreter if it ends in .ptl.")
    private Path output;

    @Option(names = "--target", paramLabel = "RUNTIME", defaultValue = "pytorch-1.13",
        description = "What a .ptl file is for: pytorch-1.8 to pytorch-1.13. Default: ${DEFAULT-VALUE}.")
    private String target;

    Path output() {
        return output;
    }

    /** @throws IllegalArgumentException if there is no such runtime */
    LiteTarget target() {
        return LiteTarget.of(target);
    }
}
