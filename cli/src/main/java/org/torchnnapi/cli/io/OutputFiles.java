package org.torchnnapi.cli.io;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.torchnnapi.torchscript.format.FileNames;
import org.torchnnapi.torchscript.format.WholeFile;

/**
 * The files that a command is told to write. All are checked before its work begins: none replaces what the command
 * reads, and no two are one. They are written whole or not at all.
 */
public final class OutputFiles {
    /** What stands for standard output where a file's name is wanted. */
    public static final String STANDARD = "-";

    private final List<Path> inputs = new ArrayList<>();
    private final List<Path> outputs = new ArrayList<>();

    /** @param inputs files that the command reads; null for one that was not given */
    public OutputFiles(Path... inputs) {
        for (Path input : inputs) {
            if (input != null) {
                this.inputs.add(input);
            }
        }
    }

    /**
     * Adds files that the command reads, some of which may be known only when its work has begun.
     *
     * @throws CommandFailure if an output that was checked before would replace one
     */
    public OutputFiles reading(Collection<Path> files) throws IOException {
        inputs.addAll(files);
        for (Path output : outputs) {
            requireOther(output, files);
        }
        return this;
    }

    /**
     * The name of a file beside a model, with an ending before its own; what is made of a {@code .pt2} is none.
     *
     * @param added such as {@code -nnapi}
     */
    public static Path beside(Path model, String added) {
        String name = model.getFileName().toString();
        int dot = name.lastIndexOf('.');
        String ending = dot > 0 && !name.endsWith(".pt2") ? name.substring(dot) : ".pt";
        return model.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + added + ending);
    }

    /**
     * @throws CommandFailure if no file can be written there, or only in place of what is read or of another output
     * @throws java.nio.file.FileSystemException if the name is empty
     */
    public Path check(Path file) throws IOException {
        FileNames.requireSome(file, "the name of a file");
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.isDirectory(file)) {
            throw new CommandFailure("output: " + file + " is a folder (expected: the name of a file)");
        }
        if (!Files.isDirectory(folder)) {
            throw new CommandFailure("output: " + file + " has no folder " + folder
                    + " to be in (expected: a folder that exists; make it first)");
        }
        Path changed = Files.exists(file) ? file : folder;
        if (!Files.isWritable(changed)) {
            throw new CommandFailure("output: " + changed + " may not be written to (expected: permission to write)");
        }
        requireOther(file, inputs);
        for (Path other : outputs) {
            if (isSame(file, other)) {
                throw new CommandFailure("output: " + file + " is named twice (expected: a file for each output)");
            }
        }
        outputs.add(file);
        return file;
    }

    private static void requireOther(Path output, Collection<Path> inputs) throws IOException {
        for (Path input : inputs) {
            if (isSame(output, input)) {
                throw new CommandFailure("output: " + output + " is what is read (expected: another file)");
            }
        }
    }

    /** As {@link #check(Path)}, of an option that may be left out (null) or say that standard output is meant. */
    public void checkUnlessStandard(String file) throws IOException {
        if (file != null && !file.equals(STANDARD)) {
            check(Paths.get(file));
        }
    }

    /** Devices and pipes take everything that is written to them, one behind the other. */
    private static boolean isSame(Path file, Path other) throws IOException {
        if (Files.exists(file) && Files.exists(other)) {
            return Files.isSameFile(file, other) && Files.isRegularFile(file);
        }
        return file.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }

    /**
     * Writes a value as JSON.
     *
     * @param file where to; - for standard output
     */
    public static void writeJson(Object value, String file) throws IOException {
        String text =
                new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(value);
        if (file.equals(STANDARD)) {
            System.out.println(text);
        } else {
            WholeFile.write(Paths.get(file), text + "\n");
        }
    }
}
