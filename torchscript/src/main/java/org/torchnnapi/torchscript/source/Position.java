package org.torchnnapi.torchscript.source;

/**
 * A place in a source file.
 *
 * @param line 1-based
 * @param column 1-based
 * @param offset characters from the start of the file
 */
public record Position(int line, int column, int offset) {
    public static final Position START = new Position(1, 1, 0);
}
