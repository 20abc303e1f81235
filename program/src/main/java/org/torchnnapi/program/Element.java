package org.torchnnapi.program;

/** What one element of a value is. */
public enum Element {
    FLOAT32(ArrayType.FLOATS, 0, 0),
    /** An unsigned byte with a scale and a zero point. */
    UINT8(ArrayType.BYTES, 0, 255),
    /** A signed byte with a scale and a zero point. */
    INT8(ArrayType.BYTES, -128, 127),
    /** A signed number, such as an index. Always lies as declared. */
    INT32(ArrayType.INTS, Integer.MIN_VALUE, Integer.MAX_VALUE),
    /** A byte that is 0 for false, anything else for true; results are 0 or 1. */
    BOOL8(ArrayType.BYTES, 0, 1);

    private final ArrayType store;
    private final int min;
    private final int max;

    Element(ArrayType store, int min, int max) {
        this.store = store;
        this.min = min;
        this.max = max;
    }

    /** What its values lie in. */
    public ArrayType store() {
        return store;
    }

    public int bytes() {
        return store.elementBytes();
    }

    /** Least value; 0 for floats. */
    public int min() {
        return min;
    }

    /** Largest value; 0 for floats. */
    public int max() {
        return max;
    }

    public boolean isSigned() {
        return this == INT8;
    }

    /** Whether elements are bytes with a scale and a zero point. */
    public boolean isQuantized() {
        return this == UINT8 || this == INT8;
    }
}
