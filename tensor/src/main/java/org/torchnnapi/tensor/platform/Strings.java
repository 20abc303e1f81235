package org.torchnnapi.tensor.platform;

import org.torchnnapi.tensor.platform.Strings;

/** Work on strings. */
public final class Strings {
    private Strings() {
    }

    /** A string so many times over. */
    public static String repeat(String text, int times) {
        StringBuilder out = new StringBuilder(Math.multiplyExact(text.length(), times));
        for (int i = 0; i < times; i++) {
            out.append(text);
        }
        return out.toString();
    }

    /** A number of things, such as {@code 1 operation} and {@code 2 operations}; {@code what} is one of them. */
    public static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    /** Without the white space, as {@link Character#isWhitespace(int)} tells it, at both ends. */
    public static String strip(String text) {
        return stripEnd(stripStart(text));
    }

    /** Without the white space before it. */
    public static String stripStart(String text) {
        int from = 0;
        while (from < text.length() && Character.isWhitespace(text.codePointAt(from))) {
            from += Character.charCount(text.codePointAt(from));
        }
        return text.substring(from);
    }

    /** Without the white space behind it. */
    public static String stripEnd(String text) {
        int end = text.length();
        while (end > 0 && Character.isWhitespace(text.codePointBefore(end))) {
            end -= Character.charCount(text.codePointBefore(end));
        }
        return text.substring(0, end);
    }

    /** Every line behind so many blanks and with an end of its own. */
    public static String indent(String text, int blanks) {
        if (text.isEmpty()) {
            return "";
        }
        String before = repeat(" ", blanks);
        StringBuilder out = new StringBuilder();
        int from = 0;
        while (from < text.length()) {
            int end = text.indexOf('\n', from);
            end = end < 0 ? text.length() : end;
            out.append(before).append(text, from, end).append('\n');
            from = end + 1;
        }
        return out.toString();
    }
}
