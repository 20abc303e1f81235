package org.torchnnapi.torchscript.format;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** What every name of a file is held to, before anything is read or written there. */
public final class FileNames {
    private FileNames() {}

    /**
     * An empty name would be that of the folder that the program runs in.
     *
     * @param expected what is to be named, such as {@code "the name of a file"}
     * @throws FileSystemException if the name is empty
     */
    public static void requireSome(Path name, String expected) throws FileSystemException {
        if (name.toString().isEmpty()) {
            throw new FileSystemException(null, null, "file: the name is empty (expected: " + expected + ")");
        }
    }
}
