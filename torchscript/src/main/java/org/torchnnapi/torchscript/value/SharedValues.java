package org.torchnnapi.torchscript.value;

import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Bounds what values that share others stand for: a list that holds the one before it twice doubles with each line of a
 * program, and whoever shows, copies or compares it would never end.
 */
public final class SharedValues {
    /** Values that one may stand for, far beyond what a model returns. */
    public static final long MOST = 1 << 22;

    private static final int MAX_DEPTH = 400;

    private final Map<Object, Long> counted = new IdentityHashMap<>();

    private SharedValues() {}

    /**
     * Checks a value: tuples, lists and dictionaries in it count at each place where they are.
     *
     * @param what it is, for the message
     * @throws ScriptException if it stands for more than {@value #MOST} values, is nested too deep or contains itself
     */
    public static void check(String what, Object value) {
        if (items(value) != null && new SharedValues().count(what, value, 0) > MOST) {
            throw new ScriptException(
                    "RuntimeError",
                    what + " stands for more than " + MOST + " values, as they are shared (expected: at most that)",
                    null);
        }
    }

    private long count(String what, Object value, int depth) {
        Collection<?> items = items(value);
        if (items == null) {
            return 1;
        }
        if (depth > MAX_DEPTH) {
            throw new ScriptException(
                    "RuntimeError",
                    what + " is nested deeper than " + MAX_DEPTH + " levels, or contains itself (expected: neither)",
                    null);
        }
        Long known = counted.get(value);
        if (known != null) {
            return known;
        }
        long sum = 1;
        for (Object item : items) {
            sum = Math.min(MOST + 1, sum + count(what, item, depth + 1));
        }
        counted.put(value, sum);
        return sum;
    }

    private static Collection<?> items(Object value) {
        if (value instanceof ScriptTuple tuple) {
            return tuple.items();
        }
        if (value instanceof ScriptList list) {
            return list.items();
        }
        return value instanceof ScriptDict dict ? dict.items().values() : null;
    }
}
