package org.torchnnapi.cli;

import java.nio.file.Path;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.torchscript.bytecode.LiteForm;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import picocli.CommandLine.Option;

/** The options of commands that may write a file for the lite interpreter. */
final class LiteOptions {
    @Option(
            names = "--target",
            paramLabel = "RUNTIME",
            defaultValue = "pytorch-1.13",
            description = "What a .ptl file is for: pytorch-1.8 to pytorch-1.13. Default: ${DEFAULT-VALUE}.")
    private String target;

    @Option(
            names = "--flatbuffer",
            description =
                    "Writes a .ptl file as a flat buffer, byte code version 9, which pytorch-1.13 reads where it is "
                            + "built with them, as for Python; PyTorch's libraries for Android on Maven Central are "
                            + "not.")
    private boolean flatBuffer;

    /**
     * @param output the file to be written
     * @throws IllegalArgumentException if there is no such runtime, it does not read that form, or the file's ending
     *     asks for another, or for what is not written
     */
    LiteForm form(Path output) {
        LiteTarget runtime = LiteTarget.of(target);
        if (ModelFile.isProgram(output)) {
            throw new IllegalArgumentException("output: " + output
                    + " (expected: an ending as .pt or .ptl, of which torch-nnapi save makes a .pt2)");
        }
        if (flatBuffer && !ModelFile.isLite(output)) {
            throw new IllegalArgumentException(
                    "--flatbuffer with " + output + " (expected: an output that ends in .ptl)");
        }
        return flatBuffer ? LiteForm.flatBuffer(runtime) : LiteForm.archive(runtime);
    }
}
