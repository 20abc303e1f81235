package org.torchnnapi.torchscript.source;

/**
 * A function that has not been parsed.
 *
 * @param at where {@code def} is
 * @param end offset behind its last line
 * @param indent columns before {@code def}
 */
record FunctionText(SourceText source, Position at, int end, int indent) {
}
