package org.torchnnapi.torchscript.print;

import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * What {@link CodePrinter} wrote.
 *
 * @param sources record name, for example {@code code/__torch__/net.py}, to text; empty text for the files of custom
 *     classes
 * @param marks by record name, the places that the text comes from, in ascending order
 * @param constants runtime values that the texts call {@code CONSTANTS.c0}, {@code CONSTANTS.c1} and so on
 * @param version the least file format whose operators mean what these texts mean
 */
public record PrintedCode(
        Map<String, String> sources, Map<String, List<Mark>> marks, List<Object> constants, int version) {
    /**
     * @param offset characters from the start of the text, where text from this place begins
     * @param range the place, {@link SourceRange#NONE} if it is not known
     */
    public record Mark(int offset, SourceRange range) {}
}
