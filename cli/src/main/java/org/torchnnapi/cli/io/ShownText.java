package org.torchnnapi.cli.io;

import java.util.Locale;

/**
 * Text as it may be shown on a terminal. Names and strings of a file are whatever its author chose; shown as they are,
 * control characters among them would move the cursor, rename the window or hide what is around them, marks of
 * direction would show words in another order, and others would not be seen at all. They are told by their numbers,
 * <code>&#92;u001b</code>, which mean the same in JSON.
 */
public final class ShownText {
    private ShownText() {}

    /** Text of several lines: ends of lines and tabulators stay. */
    public static String of(String text) {
        return escaped(text, true);
    }

    /** Text that stands in a line: ends of lines are told by their numbers too. */
    public static String line(String text) {
        return escaped(text, false);
    }

    /** Text in a table of Markdown: what would end the cell, or be read as markup, is escaped. */
    public static String markdown(String text) {
        return line(text).replaceAll("[\\\\`*\\[\\]<|]", "\\\\$0");
    }

    /** A cell of a CSV file, quoted; what a spreadsheet would take for a formula begins with an apostrophe. */
    public static String csv(String text) {
        String cell = line(text);
        String plain = cell.matches("[=+@-].*") ? "'" + cell : cell;
        return '"' + plain.replace("\"", "\"\"") + '"';
    }

    private static String escaped(String text, boolean lines) {
        StringBuilder out = null;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int c = text.codePointAt(i);
            boolean layout = c == '\n' || c == '\t' || c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            boolean shown = layout ? lines : isShown(c);
            if (!shown && out == null) {
                out = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (out != null && shown) {
                out.appendCodePoint(c);
            } else if (out != null) {
                for (char unit : Character.toChars(c)) {
                    out.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
                }
            }
        }
        return out == null ? text : out.toString();
    }

    /** Whether a character has a shape of its own, and one that all fonts agree on. */
    private static boolean isShown(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> !isBlank(c);
        };
    }

    /** Letters and marks by their category, of which nothing is seen. */
    private static boolean isBlank(int c) {
        return c == 0x115f
                || c == 0x1160
                || c == 0x3164
                || c == 0xffa0
                || c == 0x034f
                || c >= 0x180b && c <= 0x180f
                || c >= 0xfe00 && c <= 0xfe0f
                || c >= 0xe0100 && c <= 0xe01ef;
    }
}
