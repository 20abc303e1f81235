package org.torchnnapi.program;

import java.util.List;
import org.torchnnapi.kernels.CacheLines;

/**
 * What one run computes in: all its floats, all its bytes, and the arrays that its inputs are read from, which may be the caller's.
 * Places are counted from the first element that begins a cache line, wherever the garbage collector has moved the arrays.
 */
public final class Memory {
    /** For operations on constants alone. */
    public static final Memory NONE = new Memory(null, null, List.of());

    private final float[] floats;
    private final byte[] bytes;
    private final List<Operand> inputs;
    /** By input the array it lies in, and what its places are counted from there. */
    private final Object[] sources;
    private final int[] sourceBases;
    private int firstFloat;
    private int firstByte;

    private Memory(float[] floats, byte[] bytes, List<Operand> inputs) {
        this.floats = floats;
        this.bytes = bytes;
        this.inputs = inputs;
        sources = new Object[inputs.size()];
        sourceBases = new int[sources.length];
    }

    static Memory of(int floats, int bytes, List<Operand> inputs) {
        return new Memory(new float[floats + CacheLines.BYTES / Float.BYTES], new byte[bytes + CacheLines.BYTES], inputs);
    }

    /** Finds the cache lines; false if they are where they were. What lay in places does not any more where they are not. */
    boolean align() {
        int nowFloat = CacheLines.first(floats);
        int nowByte = CacheLines.first(bytes);
        boolean moved = nowFloat != firstFloat || nowByte != firstByte;
        firstFloat = nowFloat;
        firstByte = nowByte;
        return moved;
    }

    /**
     * Has an input read from an array of the caller's.
     *
     * @param at where its first element is
     * @return whether that is another place than before
     */
    boolean read(int input, Object array, int at) {
        return source(input, array, at - inputs.get(input).offset());
    }

    /** Has an input read from its place here, with the same result. */
    boolean readHere(int input) {
        boolean isFloat = inputs.get(input).isFloat();
        return source(input, isFloat ? floats : bytes, isFloat ? firstFloat : firstByte);
    }

    private boolean source(int input, Object array, int base) {
        boolean other = sources[input] != array || sourceBases[input] != base;
        sources[input] = array;
        sourceBases[input] = base;
        return other;
    }

    float[] floats() {
        return floats;
    }

    byte[] bytes() {
        return bytes;
    }

    int firstFloat() {
        return firstFloat;
    }

    int firstByte() {
        return firstByte;
    }

    Object source(int input) {
        return sources[input];
    }

    int sourceBase(int input) {
        return sourceBases[input];
    }
}
