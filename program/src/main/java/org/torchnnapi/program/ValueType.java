package org.torchnnapi.program;

import java.util.Arrays;

/**
 * What a value is: its elements and its shape, outermost dimension first. Nothing here tells how it lies in memory.
 *
 * @param shape every dimension at least 1, under 2^29 elements; a scalar has none. Not to be changed
 * @param scale of quantized bytes; 0 for others
 * @param zeroPoint of quantized bytes; 0 for others
 */
public record ValueType(Element element, int[] shape, float scale, int zeroPoint) {
    private static final int MOST = 1 << 29;

    public ValueType {
        long count = 1;
        for (int dimension : shape) {
            if (dimension < 1) {
                throw new IllegalArgumentException("shape: " + Arrays.toString(shape) + " (expected: dimensions >= 1)");
            }
            count = Math.min(count * dimension, MOST);
        }
        if (count >= MOST) {
            throw new IllegalArgumentException("shape: " + Arrays.toString(shape) + " (expected: under 2^29 elements)");
        }
        if (element.isQuantized()) {
            new ByteQuantization(element, scale, zeroPoint);
        } else if (scale != 0 || zeroPoint != 0) {
            throw new IllegalArgumentException("quantization of " + element + ": scale " + scale + ", zero point "
                    + zeroPoint + " (expected: 0 and 0)");
        }
    }

    /** Floats of a shape, outermost dimension first. */
    public static ValueType floats(int... shape) {
        return new ValueType(Element.FLOAT32, shape, 0, 0);
    }

    /** Quantized bytes of a shape, outermost dimension first. */
    public static ValueType bytes(ByteQuantization quantization, int... shape) {
        return new ValueType(quantization.element(), shape, quantization.scale(), quantization.zeroPoint());
    }

    /** 32-bit numbers, such as indexes. */
    public static ValueType ints(int... shape) {
        return new ValueType(Element.INT32, shape, 0, 0);
    }

    /** Bytes that are true or false. */
    public static ValueType flags(int... shape) {
        return new ValueType(Element.BOOL8, shape, 0, 0);
    }

    /** The same elements in another shape. */
    public ValueType withShape(int... newShape) {
        return new ValueType(element, newShape, scale, zeroPoint);
    }

    /** Numbers, one for each axis, with that of another axis put in before {@code axis}. */
    public static int[] inserted(int[] numbers, int axis, int number) {
        int[] out = new int[numbers.length + 1];
        System.arraycopy(numbers, 0, out, 0, axis);
        out[axis] = number;
        System.arraycopy(numbers, axis, out, axis + 1, numbers.length - axis);
        return out;
    }

    public boolean isFloat() {
        return element == Element.FLOAT32;
    }

    public boolean isQuantized() {
        return element.isQuantized();
    }

    /** Of quantized bytes. */
    public ByteQuantization quantization() {
        return new ByteQuantization(element, scale, zeroPoint);
    }

    /** Whether the elements mean the same. */
    public boolean sameElements(ValueType other) {
        return element == other.element && scale == other.scale && zeroPoint == other.zeroPoint;
    }

    public int rank() {
        return shape.length;
    }

    public int dimension(int axis) {
        return shape[axis];
    }

    /** Elements of all. */
    public int count() {
        return count(0, shape.length);
    }

    /** The product of the dimensions [from, to). */
    public int count(int from, int to) {
        int count = 1;
        for (int i = from; i < to; i++) {
            count *= shape[i];
        }
        return count;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ValueType type && sameElements(type) && Arrays.equals(shape, type.shape);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(shape) * 31 + element.hashCode();
    }

    @Override
    public String toString() {
        return element
                + Arrays.toString(shape)
                + (!isQuantized() ? "" : " scale " + scale + " zero point " + zeroPoint);
    }
}
