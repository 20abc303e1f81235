package org.torchnnapi.c;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Something that a C program holds by a number. The number tells a handle that lives from one that was freed, belongs
 * to another kind or was never given; no address is looked at. What a handle needs of others lives until the last that
 * needs it is freed.
 */
abstract class Handle {
    /**
     * No address of a process has this bit alone in its highest byte: whoever follows a handle like a pointer stops
     * there.
     */
    private static final long MARK = 1L << 62;

    private static final int INDEX_BITS = 24;
    private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;
    private static final long COUNTER_MASK = (1L << 62 - INDEX_BITS) - 1;

    /** Written under the lock, and then itself, so that readers without it see what was written. */
    private static volatile Handle[] slots = new Handle[256];

    private static int[] free = new int[256];
    private static int freeCount;
    private static int used;
    /** From 1 on: the mark alone is no handle. */
    private static long counter = 1;

    final long id;
    private final List<Handle> needed = new ArrayList<>(2);
    private int users = 1;

    Handle() {
        synchronized (Handle.class) {
            int index = freeCount > 0 ? free[--freeCount] : used++;
            if (index > INDEX_MASK) {
                used--;
                throw new NnapiException(
                        ResultCode.RESOURCE_EXHAUSTED_PERSISTENT,
                        "handles: " + index + " (expected: fewer, freed when done with)");
            }
            Handle[] all = slots;
            if (index >= all.length) {
                all = Arrays.copyOf(all, 2 * all.length);
            }
            id = MARK | (counter++ & COUNTER_MASK) << INDEX_BITS | index;
            all[index] = this;
            slots = all;
        }
    }

    /** @throws NnapiException BAD_DATA if the number stands for no living handle of the kind */
    static <T extends Handle> T get(long id, Class<T> kind) {
        T found = find(id, kind);
        if (found == null) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    kind.getSimpleName() + " 0x" + Long.toHexString(id)
                            + ": freed, or never given (expected: a living handle)");
        }
        return found;
    }

    /** The living handle of the kind, or null. */
    static <T extends Handle> T find(long id, Class<T> kind) {
        Handle[] all = slots;
        int index = (int) (id & INDEX_MASK);
        Handle found = index < all.length ? all[index] : null;
        return found != null && found.id == id && kind.isInstance(found) ? kind.cast(found) : null;
    }

    /** How many handles live. */
    static synchronized int count() {
        return used - freeCount;
    }

    /** Keeps another handle's content for as long as this one's. */
    final void need(Handle other) {
        other.retain();
        synchronized (needed) {
            needed.add(other);
        }
    }

    /** Keeps the content beyond the end of the handle, until {@link #release}. */
    final synchronized void retain() {
        users++;
    }

    /** Ends a use; the last one disposes of the content. */
    final void release() {
        synchronized (this) {
            if (--users > 0) {
                return;
            }
        }
        dispose();
        needed.forEach(Handle::release);
        needed.clear();
    }

    /** Ends the handle's life; what still needs its content keeps that. */
    final void free() {
        synchronized (Handle.class) {
            Handle[] all = slots;
            int index = (int) (id & INDEX_MASK);
            if (all[index] != this) {
                return;
            }
            all[index] = null;
            slots = all;
            if (freeCount == free.length) {
                free = Arrays.copyOf(free, 2 * free.length);
            }
            free[freeCount++] = index;
        }
        release();
    }

    /** Gives back what the content holds; nothing uses it any more. */
    void dispose() {}
}
