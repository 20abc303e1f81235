package org.torchnnapi.torchscript.source;

import java.nio.charset.StandardCharsets;
import org.torchnnapi.torchscript.format.ReadBudget;

/**
 * The text of a file.
 *
 * @param codes its characters as bytes, which are read quicker before anything is compiled; those that Latin-1 lacks
 *     are question marks
 * @param budget of the file that the text is in, charged for tokens
 */
record SourceText(String entry, String text, byte[] codes, ReadBudget budget) {
    /** As text, and as a byte. */
    private static final int CHARACTER_BYTES = 2;

    private static final char UNKNOWN = '?';

    static SourceText of(String entry, String text, ReadBudget budget) {
        budget.charge(entry, "characters", text.length(), CHARACTER_BYTES);
        byte[] codes = text.getBytes(StandardCharsets.ISO_8859_1);
        return new SourceText(entry, text, codes.length == text.length() ? codes : each(text), budget);
    }

    /** Characters beyond 16 bits, which count as two. */
    private static byte[] each(String text) {
        byte[] codes = new byte[text.length()];
        for (int i = 0; i < codes.length; i++) {
            char c = text.charAt(i);
            codes[i] = (byte) (c <= 0xff ? c : UNKNOWN);
        }
        return codes;
    }

    /** Whether the codes of a part tell all of its characters. */
    boolean isKnown(int from, int to) {
        for (int i = from; i < to; i++) {
            if (codes[i] == UNKNOWN) {
                return false;
            }
        }
        return true;
    }
}
