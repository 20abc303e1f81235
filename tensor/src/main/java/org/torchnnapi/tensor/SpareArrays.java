package org.torchnnapi.tensor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Arrays of tensors that nobody uses any more, for tensors of the same type and size: what is made anew for every call,
 * such as a copy of an image, then leaves no garbage behind. Safe for use by several threads.
 */
public final class SpareArrays {
    /** Calls need few at a time, and sizes that are not asked for again should not stay. */
    private static final int MOST = 4;

    private final Deque<Storage> spare = new ArrayDeque<>();

    /** Without any array. */
    public SpareArrays() {}

    /** Storage with any elements. */
    public Storage allocate(DType dtype, long length) {
        synchronized (this) {
            for (Iterator<Storage> all = spare.iterator(); all.hasNext(); ) {
                Storage one = all.next();
                if (one.dtype() == dtype && one.length() == length) {
                    all.remove();
                    return Storage.of(dtype, one.array());
                }
            }
        }
        return Storage.allocate(dtype, length);
    }

    /** @param unused nothing reads or writes its elements from now on, through whatever tensor */
    public synchronized void giveBack(Storage unused) {
        if (spare.size() == MOST) {
            spare.removeFirst();
        }
        spare.addLast(unused);
    }
}
