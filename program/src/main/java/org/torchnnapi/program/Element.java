package org.torchnnapi.program;

/** What one element of a value is. */
public enum Element {
    FLOAT32(Float.BYTES, 0, 0),
    /** An unsigned byte with a scale and a zero point. */
    UINT8(1, 0, 255),
    /** A signed byte with a scale and a zero point. */
    INT8(1, -128, 127);

    private final int bytes;
    private final int min;
    private final int max;

    Element(int bytes, int min, int max) {
        this.bytes = bytes;
        this.min = min;
        this.max = max;
    }

    public int bytes() {
        return bytes;
    }

    /** Least byte; 0 for floats. */
    public int min() {
        return min;
    }

    /** Largest byte; 0 for floats. */
    public int max() {
        return max;
    }

    public boolean isSigned() {
        return this == INT8;
    }
}
