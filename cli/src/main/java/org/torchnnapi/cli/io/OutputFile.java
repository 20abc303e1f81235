package org.torchnnapi.cli.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that a command is told to write, checked before it begins its work. */
public final class OutputFile {
    private OutputFile() {
    }

    /** @throws CommandFailure if no file can be written there */
    public static Path check(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new CommandFailure("output: " + file + " is a folder (expected: the name of a file)");
        }
        if (!Files.isDirectory(folder)) {
            throw new CommandFailure("output: " + file + " has no folder " + folder + " to be in (expected: a folder that exists; make it first)");
        }
        Path changed = Files.exists(file) ? file : folder;
        if (!Files.isWritable(changed)) {
            throw new CommandFailure("output: " + changed + " may not be written to (expected: permission to write)");
        }
        return file;
    }

    /** As {@link #check(Path)}; also refuses to replace what the command reads. */
    public static Path check(Path file, Path input) throws IOException {
        check(file);
        if (Files.exists(file) && Files.exists(input) && Files.isSameFile(file, input)) {
            throw new CommandFailure("output: " + file + " is the model itself (expected: another file)");
        }
        return file;
    }

    /** As {@link #check(Path)}, of an option that may be left out or say that standard output is meant. */
    public static void checkUnlessStandard(String file) {
        if (file != null && !file.equals("-")) {
            check(Path.of(file));
        }
    }
}
