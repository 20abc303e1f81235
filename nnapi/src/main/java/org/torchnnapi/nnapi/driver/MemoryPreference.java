package org.torchnnapi.nnapi.driver;

/**
 * Where a device likes inputs and outputs to lie; others it takes as well, but may copy.
 *
 * @param alignment of the first byte, a power of two
 * @param padding the length, in bytes, is best a multiple of this power of two
 */
public record MemoryPreference(int alignment, int padding) {
    /** Any place is as good. */
    public static final MemoryPreference NONE = new MemoryPreference(1, 1);

    public MemoryPreference {
        if (Integer.bitCount(alignment) != 1 || alignment < 0 || Integer.bitCount(padding) != 1 || padding < 0) {
            throw new IllegalArgumentException(
                    "alignment " + alignment + ", padding " + padding + " (expected: powers of two)");
        }
    }

    /** What suits both. */
    public MemoryPreference and(MemoryPreference other) {
        return new MemoryPreference(Math.max(alignment, other.alignment), Math.max(padding, other.padding));
    }
}
