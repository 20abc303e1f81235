package org.torchnnapi.cli.io;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of text that a command is told to read. */
public final class TextFile {
    private TextFile() {}

    /**
     * All of a file.
     *
     * @throws CommandFailure if it is a folder, or no text in UTF-8
     */
    public static String read(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new CommandFailure("file: " + file + " is a folder (expected: a file of text)");
        }
        try {
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw new CommandFailure("file: " + file + " is no text (expected: a file in UTF-8)", e);
        }
    }
}
