package org.torchnnapi.converter.partial;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a search has done, in nodes that it visited: as much on any machine, so that where it ends depends on the model
 * alone; and what it has found out, which it asks once. For one thread.
 */
public final class SearchWork {
    /** More than any search does. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    private final Map<Object, Object> known = new HashMap<>();
    private long done;
    private long most = NO_LIMIT;

    /** Says that a search has done as much as it may. */
    static final class Exhausted extends RuntimeException {
        private static final long serialVersionUID = 1;

        Exhausted(long most) {
            super("more than " + most + " nodes visited", null, false, false);
        }
    }

    /** So much more was done, or is about to be. */
    void add(long nodes) {
        done += nodes;
        if (done > most) {
            throw new Exhausted(most);
        }
    }

    /** What is found out once, by a key of all that it depends on; null is found out too. */
    @SuppressWarnings("unchecked")
    <T> T once(Object key, Supplier<T> found) {
        if (!known.containsKey(key)) {
            known.put(key, found.get());
        }
        return (T) known.get(key);
    }

    /** Whether more than so much was done since the search began. */
    public boolean exceeds(long limit) {
        return done > limit;
    }

    /**
     * Does work that fails once more than {@code limit} was done since the search began.
     *
     * @throws RuntimeException if so, or as the work does
     */
    public <T> T within(long limit, Supplier<T> work) {
        long before = most;
        most = limit;
        try {
            return work.get();
        } finally {
            most = before;
        }
    }
}
