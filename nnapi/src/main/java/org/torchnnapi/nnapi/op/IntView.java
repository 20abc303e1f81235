package org.torchnnapi.nnapi.op;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import org.torchnnapi.nnapi.model.OperandType.Element;

/** Elements of any type as stored integers: floats as raw bits, BOOL8 as 0 or 1. Bound anew by each execution. */
public final class IntView {
    private final Element element;
    private FloatBuffer floats;
    private IntBuffer ints;
    private ShortBuffer shorts;
    private ByteBuffer bytes;

    IntView(Element element) {
        this.element = element;
    }

    void bind(Buffer data) {
        switch (element) {
            case FLOAT32 -> floats = (FloatBuffer) data;
            case INT32 -> ints = (IntBuffer) data;
            case FLOAT16, INT16, UINT16 -> shorts = (ShortBuffer) data;
            default -> bytes = (ByteBuffer) data;
        }
    }

    public int get(int index) {
        return switch (element) {
            case FLOAT32 -> Float.floatToRawIntBits(floats.get(index));
            case INT32 -> ints.get(index);
            case FLOAT16, INT16 -> shorts.get(index);
            case UINT16 -> shorts.get(index) & 0xFFFF;
            case INT8 -> bytes.get(index);
            case UINT8, OPAQUE -> bytes.get(index) & 0xFF;
            case BOOL8, NONE -> bytes.get(index) != 0 ? 1 : 0;
        };
    }

    /** Stores the low bits of {@code value}; see {@link #setSaturated} for clamping. */
    public void set(int index, int value) {
        switch (element) {
            case FLOAT32 -> floats.put(index, Float.intBitsToFloat(value));
            case INT32 -> ints.put(index, value);
            case FLOAT16, INT16, UINT16 -> shorts.put(index, (short) value);
            default -> bytes.put(index, (byte) value);
        }
    }

    /** Stores {@code value} clamped to what the element type can hold. */
    public void setSaturated(int index, long value) {
        set(index, (int) Math.max(element.min(), Math.min(element.max(), value)));
    }
}
