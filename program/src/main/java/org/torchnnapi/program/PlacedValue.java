package org.torchnnapi.program;

/**
 * A value where it lies.
 *
 * @param constant the {@code float[]}, {@code int[]} or {@code byte[]} of a constant; null for a value of the run's
 *     memory
 * @param offset of its first element in its array, or from where the memory's places are counted; -1 while places are
 *     not yet given
 * @param source by position the graph's input whose elements these are and stay; -1 for any other value
 */
public record PlacedValue(ValueType type, ImageStorage storage, Object constant, int offset, int source) {
    public PlacedValue(ValueType type, ImageStorage storage, Object constant, int offset) {
        this(type, storage, constant, offset, -1);
    }

    public boolean isFloat() {
        return type.isFloat();
    }

    /** Elements it takes, with those that fill up blocks. */
    public int size() {
        return storage.size(type);
    }

    /** Elements an image of the batch takes. */
    public int imageSize() {
        return size() / type.dimension(0);
    }

    /** Where its first element is in the array it lies in. */
    public int at(RunMemory memory) {
        if (constant != null) {
            return offset;
        }
        return offset
                + (source >= 0
                        ? memory.sourceBase(source)
                        : memory.first(type.element().store()));
    }

    /** The array that floats lie in. */
    public float[] floats(RunMemory memory) {
        return (float[]) array(memory);
    }

    /** The array that bytes, quantized or flags, lie in. */
    public byte[] bytes(RunMemory memory) {
        return (byte[]) array(memory);
    }

    /** The array that 32-bit numbers lie in. */
    public int[] ints(RunMemory memory) {
        return (int[]) array(memory);
    }

    /** The array it lies in, of floats, 32-bit numbers or bytes. */
    public Object array(RunMemory memory) {
        return constant != null
                ? constant
                : source >= 0
                        ? memory.source(source)
                        : memory.array(type.element().store());
    }
}
