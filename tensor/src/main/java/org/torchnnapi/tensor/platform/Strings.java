package org.torchnnapi.tensor.platform;

/** Work on strings. */
public final class Strings {
    private Strings() {}

    /** A text as messages quote it: of one of more than some hundred characters only the beginning. */
    public static String shown(String text) {
        return beginning(text, 200);
    }

    /** A text, or its first characters and two dots. No character is divided. */
    public static String beginning(String text, int characters) {
        if (text == null || text.length() <= characters) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(characters - 1)) ? characters - 1 : characters;
        return text.substring(0, end) + "..";
    }

    /** As {@link #beginning}, of a text whose lines are put into one. */
    public static String oneLine(String text, int characters) {
        return beginning(strip(text).replace("\n", " | "), characters);
    }

    /** A string so many times over. */
    public static String repeat(String text, int times) {
        int length = Math.multiplyExact(text.length(), times);
        if (length == 0) {
            return "";
        }
        StringBuilder out = new StringBuilder(length).append(text);
        // What there is is appended whole: one after the other takes seconds where a model asks for millions.
        while (out.length() <= length / 2) {
            out.append(out);
        }
        return out.append(out.substring(0, length - out.length())).toString();
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
