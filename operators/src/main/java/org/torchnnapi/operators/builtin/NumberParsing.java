package org.torchnnapi.operators.builtin;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.torchnnapi.tensor.platform.Strings;

/**
 * {@code int(text)} and {@code float(text)} as PyTorch has them, which are C's: white space may stand before a number,
 * nothing behind it.
 */
final class NumberParsing {
    private static final String BLANKS = "[ \\t\\n\\u000b\\f\\r]*";
    private static final Pattern INTEGER = Pattern.compile(BLANKS + "([+-]?[0-9]+)");
    private static final Pattern HEXADECIMAL = Pattern.compile(
            BLANKS + "([+-]?0x(?:[0-9a-f]+\\.?[0-9a-f]*|\\.[0-9a-f]+))(p[+-]?[0-9]+)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern DECIMAL = Pattern.compile(
            BLANKS + "([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:e[+-]?[0-9]+)?)", Pattern.CASE_INSENSITIVE);
    private static final Pattern WORD =
            Pattern.compile(BLANKS + "([+-]?)(?:(inf(?:inity)?)|nan(?:\\([0-9a-z_]*\\))?)", Pattern.CASE_INSENSITIVE);

    /** Of a number of 64 bits. */
    private static final int MAX_DIGITS = 19;
    /** Digits that count of the exact value of any double are at most some 770. */
    private static final int MAX_SIGNIFICANT = 800;

    private NumberParsing() {}

    /** @throws IllegalArgumentException in PyTorch's words, if it is no whole number, or one of more than 64 bits */
    static long integer(String text) {
        Matcher number = INTEGER.matcher(text);
        if (!number.lookingAt()) {
            throw noInteger(text);
        }
        // The text may be of millions of digits, which an exception of Java's would hold.
        int first = number.start(1);
        while (first < number.end() && !isSignificant(text.charAt(first))) {
            first++;
        }
        if (number.end() - first > MAX_DIGITS) {
            throw noInteger(text);
        }
        long value;
        try {
            value = Long.parseLong(number.group(1));
        } catch (NumberFormatException e) {
            throw noInteger(text);
        }
        requireEnd(number, text, "invalid literal for int() with base 10: '");
        return value;
    }

    /** @throws IllegalArgumentException in PyTorch's words, if it is no number, or one that no double is near */
    static double real(String text) {
        String otherwise = "could not convert string to float: '";
        Matcher word = WORD.matcher(text);
        if (word.lookingAt()) {
            requireEnd(word, text, otherwise);
            double size = word.group(2) == null ? Double.NaN : Double.POSITIVE_INFINITY;
            return word.group(1).equals("-") ? -size : size;
        }
        Matcher hexadecimal = HEXADECIMAL.matcher(text);
        Matcher number = hexadecimal.lookingAt() ? hexadecimal : DECIMAL.matcher(text);
        if (number != hexadecimal && !number.lookingAt()) {
            throw noReal(text);
        }
        String exponent = number != hexadecimal ? "" : number.group(2) == null ? "p0" : number.group(2);
        double value = Double.parseDouble(number.group(1) + exponent);
        if (Double.isInfinite(value) || isTooSmall(value, number.group(1), number == hexadecimal)) {
            throw noReal(text);
        }
        requireEnd(number, text, otherwise);
        return value;
    }

    private static IllegalArgumentException noInteger(String text) {
        return new IllegalArgumentException(
                "stoll: '" + Strings.shown(text) + "' (expected: a whole number of 64 bits)");
    }

    private static IllegalArgumentException noReal(String text) {
        return new IllegalArgumentException(
                "stod: '" + Strings.shown(text) + "' (expected: a number in the range of float)");
    }

    private static boolean isSignificant(char c) {
        return c >= '1' && c <= '9';
    }

    /** C tells of what is rounded to a number with fewer digits than usual, or to 0. */
    private static boolean isTooSmall(double value, String digits, boolean isHexadecimal) {
        if (value == 0) {
            String significand = digits.toLowerCase(Locale.ROOT);
            int end = isHexadecimal ? -1 : significand.indexOf('e');
            significand = end < 0 ? significand : significand.substring(0, end);
            return significand.replace("0x", "").chars().anyMatch(c -> isSignificant((char) c) || c >= 'a' && c <= 'f');
        }
        return !isHexadecimal && Math.abs(value) < Double.MIN_NORMAL && !isExactly(digits, value);
    }

    /** Whether digits of a decimal number, of which there may be millions, say no other number than one near 0. */
    private static boolean isExactly(String digits, double value) {
        int exponentAt = Math.max(digits.indexOf('e'), digits.indexOf('E'));
        String significand = exponentAt < 0 ? digits : digits.substring(0, exponentAt);
        long exponent = exponentAt < 0 ? 0 : Long.parseLong(digits.substring(exponentAt + 1));
        int point = significand.indexOf('.');
        int first = -1;
        int last = -1;
        for (int i = 0; i < significand.length(); i++) {
            if (isSignificant(significand.charAt(i))) {
                first = first < 0 ? i : first;
                last = i;
            }
        }
        if (last - first > MAX_SIGNIFICANT) {
            return false;
        }
        String part = significand.substring(first, last + 1).replace(".", "");
        long places = point < 0 ? last + 1 - significand.length() : last > point ? last - point : last + 1 - point;
        return new BigDecimal(new BigInteger(part), Math.toIntExact(places - exponent))
                        .compareTo(new BigDecimal(Math.abs(value)))
                == 0;
    }

    private static void requireEnd(Matcher number, String text, String otherwise) {
        if (number.end() != text.length()) {
            throw new IllegalArgumentException(otherwise + Strings.shown(text) + "'");
        }
    }
}
