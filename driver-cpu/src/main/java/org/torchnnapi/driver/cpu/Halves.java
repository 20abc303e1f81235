package org.torchnnapi.driver.cpu;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import org.torchnnapi.kernels.HalfFloats;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

/** One value of 16-bit floats at the door of a program that computes in floats of 32 bits. */
final class Halves {
    /** Elements converted at a time: what is read and written meanwhile stays in the nearest cache. */
    private static final int CHUNK = 2048;

    private final FloatBuffer floats;
    private final short[] halves;

    private Halves(int count) {
        floats = FloatBuffer.allocate(count);
        halves = new short[Math.min(count, CHUNK)];
    }

    /** For a value of known shape; null unless its elements are 16-bit floats. */
    static Halves of(OperandDescriptor descriptor) {
        return descriptor.type() == OperandType.TENSOR_FLOAT16 ? new Halves((int) descriptor.elementCount()) : null;
    }

    /** What the program reads or writes. */
    FloatBuffer floats() {
        return floats;
    }

    /** The elements from index 0 on, for the program to read. */
    FloatBuffer widened(ShortBuffer from) {
        for (int at = 0; at < floats.capacity(); at += CHUNK) {
            int count = Math.min(CHUNK, floats.capacity() - at);
            from.get(at, halves, 0, count);
            HalfFloats.widen(halves, 0, floats.array(), at, count);
        }
        return floats;
    }

    /** What the program wrote, rounded, from index 0 on. */
    void narrow(ShortBuffer to) {
        for (int at = 0; at < floats.capacity(); at += CHUNK) {
            int count = Math.min(CHUNK, floats.capacity() - at);
            HalfFloats.narrow(floats.array(), at, halves, 0, count);
            to.put(at, halves, 0, count);
        }
    }
}
