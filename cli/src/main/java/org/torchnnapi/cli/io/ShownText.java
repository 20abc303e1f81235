package org.torchnnapi.cli.io;

import java.util.Locale;

/**
 * Text as it may be shown on a terminal. Names and strings of a file are whatever its author chose; shown as they are, control characters among them
 * would move the cursor, rename the window or hide what is around them, and marks of direction would show words in another order. They are told by
 * their numbers, <code>&#92;u001b</code>, which mean the same in JSON.
 */
public final class ShownText {
    private static final char ARABIC_LETTER_MARK = '\u061c';
    private static final char LINE_SEPARATOR = '\u2028';

    private ShownText() {
    }

    /** Text of several lines: ends of lines and tabulators stay. */
    public static String of(String text) {
        return escaped(text, true);
    }

    /** Text that stands in a line: ends of lines are told by their numbers too. */
    public static String line(String text) {
        return escaped(text, false);
    }

    private static String escaped(String text, boolean lines) {
        StringBuilder out = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean layout = c == '\n' || c == '\t' || c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            boolean shown = layout ? lines : !isControl(c);
            if (!shown && out == null) {
                out = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (out != null && shown) {
                out.append(c);
            } else if (out != null) {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return out == null ? text : out.toString();
    }

    private static boolean isControl(char c) {
        return Character.isISOControl(c) || c == ARABIC_LETTER_MARK || c == '\u200e' || c == '\u200f' || c >= LINE_SEPARATOR && c <= '\u202e'
            || c >= '\u2066' && c <= '\u2069';
    }
}
