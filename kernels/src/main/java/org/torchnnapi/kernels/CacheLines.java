package org.torchnnapi.kernels;

/**
 * Where the lines of the cache are in an array. Kernels are up to a third faster on images that begin on a line: no
 * vector of theirs then lies in two.
 */
public final class CacheLines {
    /**
     * Bytes of a line, as of the widest vector, on the processors that there are kernels for; at least, for some have
     * longer ones.
     */
    public static final int BYTES = 64;

    private CacheLines() {}

    /**
     * The index of the first element that begins a line, below {@link #BYTES} / 4, though the array may be shorter. It
     * changes when the garbage collector moves the array. Where addresses cannot be known, that of an array which
     * itself begins on a line.
     */
    public static int first(float[] array) {
        return before(Kernels.elements().bytesIntoLine(array)) / Float.BYTES;
    }

    /** The same for an array of bytes. */
    public static int first(byte[] array) {
        return before(Kernels.elements().bytesIntoLine(array));
    }

    private static int before(int bytesIntoLine) {
        return (BYTES - bytesIntoLine) % BYTES;
    }
}
