package org.torchnnapi.program;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/** The kinds of arrays that values lie in; a run has one of each. */
public enum ArrayType {
    FLOATS(Float.BYTES, FloatBuffer.class),
    /** Of quantized bytes and of flags. */
    BYTES(1, ByteBuffer.class),
    INTS(Integer.BYTES, IntBuffer.class);

    private final int elementBytes;
    private final Class<? extends Buffer> buffer;

    ArrayType(int elementBytes, Class<? extends Buffer> buffer) {
        this.elementBytes = elementBytes;
        this.buffer = buffer;
    }

    public int elementBytes() {
        return elementBytes;
    }

    /** What inputs and outputs of such elements are given in. */
    public Class<? extends Buffer> buffer() {
        return buffer;
    }

    /** A {@code float[]}, {@code byte[]} or {@code int[]} of so many. */
    public Object allocate(int size) {
        return this == FLOATS ? new float[size] : this == BYTES ? new byte[size] : new int[size];
    }
}
