package org.torchnnapi.program;

import org.torchnnapi.kernels.CacheLines;

/**
 * What one run computes in: all its floats, and all its bytes.
 *
 * @param firstFloat where the places of floats are counted from: the first element that begins a cache line
 * @param firstByte the same of bytes
 */
public record Memory(float[] floats, int firstFloat, byte[] bytes, int firstByte) {
    /** For operations on constants alone. */
    public static final Memory NONE = new Memory(null, 0, null, 0);

    static Memory of(int floats, int bytes) {
        return of(new float[floats + CacheLines.BYTES / Float.BYTES], new byte[bytes + CacheLines.BYTES]);
    }

    private static Memory of(float[] floats, byte[] bytes) {
        return new Memory(floats, CacheLines.first(floats), bytes, CacheLines.first(bytes));
    }

    /** Whether places begin on cache lines still, wherever the garbage collector has moved the arrays. */
    boolean isAligned() {
        return firstFloat == CacheLines.first(floats) && firstByte == CacheLines.first(bytes);
    }

    /** The same arrays with places on cache lines again; the elements stay where they were, and so are no places' any more. */
    Memory realigned() {
        return of(floats, bytes);
    }
}
