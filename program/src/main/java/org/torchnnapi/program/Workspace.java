package org.torchnnapi.program;

import org.torchnnapi.kernels.CacheLines;

/**
 * Arrays that runs of several programs compute in, one run at a time: as large as the largest program needs. Confined
 * to one thread at a time.
 */
public final class Workspace {
    /** By store. */
    private final Object[] arrays = new Object[ArrayType.values().length];

    private final int[] sizes = new int[arrays.length];

    /** A workspace for no program yet. */
    public Workspace() {
        for (ArrayType store : ArrayType.values()) {
            grow(store, 0);
        }
    }

    /**
     * Makes room for a program.
     *
     * @return whether arrays were replaced: runs made before keep the old ones and should be dropped
     * @throws OutOfMemoryError if the heap has no room for it
     */
    public boolean fit(Program program) {
        boolean replaced = false;
        for (ArrayType store : ArrayType.values()) {
            if (program.sizes()[store.ordinal()] > sizes[store.ordinal()]) {
                // The old one may go before the new one comes.
                arrays[store.ordinal()] = null;
                sizes[store.ordinal()] = 0;
                grow(store, program.sizes()[store.ordinal()]);
                replaced = true;
            }
        }
        return replaced;
    }

    private void grow(ArrayType store, int size) {
        arrays[store.ordinal()] = store.allocate(size + CacheLines.BYTES / store.elementBytes());
        sizes[store.ordinal()] = size;
    }

    /** Bytes of all arrays. */
    public long bytes() {
        long sum = 0;
        for (ArrayType store : ArrayType.values()) {
            sum += (long) sizes[store.ordinal()] * store.elementBytes();
        }
        return sum;
    }

    /** By store. */
    Object[] arrays() {
        return arrays;
    }
}
