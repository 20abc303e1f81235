package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.torchnnapi.c.LibraryBuilder;
import org.torchnnapi.cli.io.CommandFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Builds the library through which C programs use the runtime. */
@Command(
        name = "clib",
        header = "Builds libneuralnetworks.so.",
        mixinStandardHelpOptions = true,
        description = {
            "Builds libneuralnetworks.so, the runtime behind the C interface of NNAPI, for programs in C, C++ and "
                    + "Python on this machine.",
            "Needs a C compiler."
        },
        footer = {
            "",
            "Examples:",
            "  torch-nnapi clib",
            "  torch-nnapi clib /opt/nnapi",
            "  LD_LIBRARY_PATH=/opt/nnapi python3 program.py"
        })
final class ClibCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "DIR",
            arity = "0..1",
            defaultValue = "clib",
            description = "folder to build it in; ${DEFAULT-VALUE} unless given")
    private Path folder;

    @Override
    public Integer call() throws IOException {
        Path library;
        try {
            library = LibraryBuilder.build(folder.toAbsolutePath().normalize());
        } catch (FileSystemException e) {
            throw new CommandFailure(
                    "folder: " + folder + " cannot be made or written to: "
                            + (e.getReason() == null ? e.getClass().getSimpleName() : e.getReason())
                            + " (expected: a folder, or a name that is free where folders may be made)",
                    e);
        }
        System.out.println("built " + library);
        System.out.println("PyTorch:  LD_LIBRARY_PATH=" + library.getParent() + " python3 program.py");
        System.out.println("          LIBNEURALNETWORKS_PATH=" + library + " python3 test/test_nnapi.py");
        System.out.println("C, C++:   cc program.c -I"
                + library.resolveSibling(LibraryBuilder.HEADER).getParent() + " -L" + library.getParent()
                + " -lneuralnetworks -Wl,-rpath," + library.getParent());
        return 0;
    }
}
