package org.torchnnapi.program;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/**
 * Constant numbers of an operation, which kernels pack. They may lie in a model's file and become an array only while they are packed, so
 * that a model's weights are never on the heap all at once.
 */
public interface Weights {
    /** How many there are. */
    int length();

    /** All of them, for reading only. */
    float[] values();

    /** All of them in an array that belongs to the caller. */
    default float[] copy() {
        return values().clone();
    }

    /** All of them for reading, where they lie if they lie somewhere. */
    default FloatBuffer view() {
        return FloatBuffer.wrap(values()).asReadOnlyBuffer();
    }

    /** These times a factor for each of as many equal parts as there are factors. */
    default Weights scaled(float... factors) {
        return new ScaledWeights(this, factors);
    }

    /** @param values are kept */
    static Weights of(float... values) {
        return new ArrayWeights(values);
    }

    /**
     * Weights as they lie in memory, read anew each time they are asked for. If it is a file's, its pages are given back to the system then.
     *
     * @param bytes whose remaining ones are floats, in the buffer's order; it and the bytes do not change
     */
    static Weights stored(ByteBuffer bytes) {
        return new StoredWeights(bytes);
    }
}
