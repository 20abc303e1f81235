package org.torchnnapi.kernels;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/**
 * Constant numbers of an operation, which kernels pack. They may lie in a model's file and become an array only while
 * they are packed, so that a model's weights are never on the heap all at once. Where they come from is known of some:
 * what was packed of those is found again without reading them. Safe for use by several threads.
 */
public interface Weights {
    /** How weights are made of others: rules that are equal do the same. */
    interface Rule {
        /** How many it makes of so many. */
        int length(int given);

        /**
         * The numbers made of others.
         *
         * @param given for reading only
         * @return an array of the caller's
         */
        float[] of(float[] given);
    }

    /** How many there are. */
    int length();

    /** All of them, for reading only. */
    float[] values();

    /** All of them for reading, where they lie if they lie somewhere. */
    default FloatBuffer view() {
        return FloatBuffer.wrap(values()).asReadOnlyBuffer();
    }

    /** Where they come from; null where only the numbers tell them from others. */
    default WeightsOrigin origin() {
        return null;
    }

    /** What a rule makes of them, each time that it is asked for. */
    default Weights made(Rule rule) {
        return new MadeWeights(this, rule);
    }

    /** These times a factor for each of as many equal parts as there are factors. */
    default Weights scaled(float... factors) {
        return made(new WeightScaling(factors));
    }

    /** Those from one place to before another. */
    default Weights part(int from, int to) {
        return from == 0 && to == length() ? this : made(new WeightPart(from, to));
    }

    /** @param values are kept */
    static Weights of(float... values) {
        return new ArrayWeights(values);
    }

    /**
     * Weights as they lie in memory, read anew each time they are asked for. If it is a file's, its pages are given
     * back to the system then.
     *
     * @param bytes whose remaining ones are floats, in the buffer's order; it and the bytes do not change
     */
    static Weights stored(ByteBuffer bytes) {
        return new StoredWeights(bytes);
    }
}
