package org.torchnnapi.program;

/**
 * A value where it lies.
 *
 * @param constant the {@code float[]} or {@code byte[]} of a constant; null for a value of the run's memory
 * @param offset of its first element in its array, or from where the memory's places are counted; -1 while places are not yet given
 */
public record Operand(ValueType type, ImageStorage storage, Object constant, int offset) {
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
    public int at(Memory memory) {
        return constant != null ? offset : offset + (isFloat() ? memory.firstFloat() : memory.firstByte());
    }

    public float[] floats(Memory memory) {
        return constant == null ? memory.floats() : (float[]) constant;
    }

    public byte[] bytes(Memory memory) {
        return constant == null ? memory.bytes() : (byte[]) constant;
    }

    /** The array it lies in, of floats or bytes. */
    public Object array(Memory memory) {
        return isFloat() ? floats(memory) : bytes(memory);
    }
}
