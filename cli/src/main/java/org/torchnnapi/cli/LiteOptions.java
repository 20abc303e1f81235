package org.torchnnapi.cli;

import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import picocli.CommandLine.Option;

/** The options of commands that may write a file for the lite interpreter. */
final class LiteOptions {
    @Option(names = "--target", paramLabel = "RUNTIME", defaultValue = "pytorch-1.13",
        description = "What a .ptl file is for: pytorch-1.8 to pytorch-1.13. Default: ${DEFAULT-VALUE}.")
    private String target;

    @Option(names = "--flatbuffer", description = "Writes a .ptl file as a flat buffer, byte code version 9, which pytorch-1.13 reads where it is "
        + "built with them, as for Python; PyTorch's libraries for Android on Maven Central are not.")
    private boolean flatBuffer;

    /** @throws IllegalArgumentException if there is no such runtime, or it does not read that form */
    LiteForm form() {
        LiteTarget runtime = LiteTarget.of(target);
        return flatBuffer ? LiteForm.flatBuffer(runtime) : LiteForm.archive(runtime);
    }
}
