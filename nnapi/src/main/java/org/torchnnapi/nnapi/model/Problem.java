package org.torchnnapi.nnapi.model;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule that is broken.
 *
 * @param rule what the rule is about, such as {@code rank of input 0}
 * @param found its value
 * @param expected what would do, such as {@code 4}
 */
public record Problem(String rule, String found, String expected) {
    private static final Pattern MESSAGE = Pattern.compile("(.*?): (.*) \\(expected: (.*)\\)", Pattern.DOTALL);

    public Problem {
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(found, "found");
        Objects.requireNonNull(expected, "expected");
    }

    /** @param found the value, told by its text */
    public static Problem of(String rule, Object found, String expected) {
        return new Problem(rule, String.valueOf(found), expected);
    }

    /**
     * The problem that a message tells, {@code rule: found (expected: what would do)}; a message of another form is
     * what was found.
     */
    public static Problem ofMessage(String message) {
        Matcher parts = MESSAGE.matcher(String.valueOf(message));
        return parts.matches()
                ? new Problem(parts.group(1), parts.group(2), parts.group(3))
                : new Problem("operation", String.valueOf(message), "one that can be done");
    }

    @Override
    public String toString() {
        return rule + ": " + found + " (expected: " + expected + ")";
    }
}
