package org.torchnnapi.torchscript.source;

/**
 * A function whose text has not been parsed.
 *
 * @param text of the file
 * @param at where {@code def} is
 * @param end offset behind its last line
 * @param indent columns before {@code def}
 */
record FunctionText(String entry, String text, Position at, int end, int indent) {
}
