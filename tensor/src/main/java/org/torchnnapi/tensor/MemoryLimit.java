package org.torchnnapi.tensor;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The most memory that one thing may take: the elements of one tensor, or all that one compiled model, or one compiled
 * part of a method, computes in. What would take more is refused before anything is allocated, so that a file of a few
 * bytes cannot have memory that the rest of the application needs. It is three quarters of the heap's maximum, unless
 * the system property {@value #PROPERTY} or {@link #set} says otherwise. Safe for use by several threads.
 */
public final class MemoryLimit {
    /**
     * Bytes, such as {@code 536870912}, {@code 512m} or {@code 2g}, or a share of the heap's maximum, such as
     * {@code 50%}; read when first needed.
     */
    public static final String PROPERTY = "torchnnapi.memory.limit";

    private static final String DEFAULT = "75%";
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,17})([kmg%]?)");
    /** 0 as long as the property has not been read. */
    private static volatile long limit;

    private MemoryLimit() {}

    /**
     * In bytes.
     *
     * @throws IllegalArgumentException if the property says something else
     */
    public static long bytes() {
        long known = limit;
        if (known == 0) {
            known = parse(System.getProperty(PROPERTY, DEFAULT));
            limit = known;
        }
        return known;
    }

    /**
     * From now on, for all models; what has memory keeps it.
     *
     * @param bytes at least 1
     */
    public static void set(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("memory limit: " + bytes + " bytes (expected: at least 1)");
        }
        limit = bytes;
    }

    /** Whether something of that many bytes may be made. */
    public static boolean allows(long bytes) {
        return bytes <= bytes();
    }

    /**
     * To be asked before something large is made.
     *
     * @param what it is, for the message
     * @throws MemoryException if it is over the limit
     */
    public static void check(String what, long bytes) {
        if (!allows(bytes)) {
            throw MemoryException.overLimit(refusal(what, bytes));
        }
    }

    /** What is wrong with that many bytes, with what to do. */
    public static String refusal(String what, long bytes) {
        return what + ": " + bytes + " bytes (expected: at most " + bytes() + " for one thing, of a heap of "
                + Runtime.getRuntime().maxMemory()
                + "; give smaller inputs, start Java with a larger heap, such as -Xmx8g, or set " + PROPERTY + ")";
    }

    /** The bytes that a value of the property stands for. */
    static long parse(String text) {
        Matcher form = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
        long number = form.matches() ? Long.parseLong(form.group(1)) : 0;
        long unit = number == 0
                ? 1
                : switch (form.group(2)) {
                    case "k" -> 1L << 10;
                    case "m" -> 1L << 20;
                    case "g" -> 1L << 30;
                    default -> 1;
                };
        boolean share = number > 0 && form.group(2).equals("%");
        if (number == 0 || share && number > 100 || number > Long.MAX_VALUE / unit) {
            throw new IllegalArgumentException(PROPERTY + ": " + text
                    + " (expected: bytes, such as 512m or 2g, or a share of the heap from 1% to 100%)");
        }
        // Divided first, as a heap may be said to have no maximum.
        return share ? Runtime.getRuntime().maxMemory() / 100 * number : number * unit;
    }
}
