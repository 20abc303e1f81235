package org.torchnnapi.driver.cpu;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import org.torchnnapi.kernels.HalfFloats;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.op.RoundingArithmetic;
import org.torchnnapi.tensor.platform.Buffers;

/** One value of 16-bit floats or quantized numbers at the door of a program that computes in floats of 32 bits. */
abstract class SixteenBits {
    /** Elements converted at a time: what is read and written meanwhile fills half of the nearest cache at most. */
    private final int chunk = Machine.current().firstCache() / 2 / (Float.BYTES + Short.BYTES);

    private final FloatBuffer floats;
    private final short[] shorts;

    private SixteenBits(int count) {
        floats = FloatBuffer.allocate(count);
        shorts = new short[Math.min(count, chunk)];
    }

    /** Of heap, that {@link #of} takes for a value of known shape. */
    static long bytes(OperandDescriptor descriptor) {
        return switch (descriptor.type()) {
            case TENSOR_FLOAT16, TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM -> descriptor.elementCount() * Float.BYTES;
            default -> 0;
        };
    }

    /** For a value of known shape; null unless its elements are 16-bit floats or numbers. */
    static SixteenBits of(OperandDescriptor descriptor) {
        return switch (descriptor.type()) {
            case TENSOR_FLOAT16 -> new Halves((int) descriptor.elementCount());
            case TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM -> new Numbers((int) descriptor.elementCount(), descriptor);
            default -> null;
        };
    }

    abstract void widen(short[] from, float[] to, int at, int count);

    abstract void narrow(float[] from, int at, short[] to, int count);

    /** What the program reads or writes. */
    FloatBuffer floats() {
        return floats;
    }

    /** The elements from index 0 on, for the program to read. */
    FloatBuffer widened(ShortBuffer from) {
        for (int at = 0; at < floats.capacity(); at += chunk) {
            int count = Math.min(chunk, floats.capacity() - at);
            Buffers.get(from, at, shorts, 0, count);
            widen(shorts, floats.array(), at, count);
        }
        return floats;
    }

    /** What the program wrote, rounded, from index 0 on. */
    void narrow(ShortBuffer to) {
        for (int at = 0; at < floats.capacity(); at += chunk) {
            int count = Math.min(chunk, floats.capacity() - at);
            narrow(floats.array(), at, shorts, count);
            Buffers.put(to, at, shorts, 0, count);
        }
    }

    private static final class Halves extends SixteenBits {
        Halves(int count) {
            super(count);
        }

        @Override
        void widen(short[] from, float[] to, int at, int count) {
            HalfFloats.widen(from, 0, to, at, count);
        }

        @Override
        void narrow(float[] from, int at, short[] to, int count) {
            HalfFloats.narrow(from, at, to, 0, count);
        }
    }

    /** Numbers with a scale and a zero point. */
    private static final class Numbers extends SixteenBits {
        private final float scale;
        private final int zeroPoint;
        private final OperandType.Element element;
        private final boolean signed;

        Numbers(int count, OperandDescriptor descriptor) {
            super(count);
            scale = descriptor.scale();
            zeroPoint = descriptor.zeroPoint();
            element = descriptor.type().element();
            signed = element.min() < 0;
        }

        @Override
        void widen(short[] from, float[] to, int at, int count) {
            if (signed) {
                for (int i = 0; i < count; i++) {
                    to[at + i] = (from[i] - zeroPoint) * scale;
                }
            } else {
                for (int i = 0; i < count; i++) {
                    to[at + i] = (Short.toUnsignedInt(from[i]) - zeroPoint) * scale;
                }
            }
        }

        @Override
        void narrow(float[] from, int at, short[] to, int count) {
            for (int i = 0; i < count; i++) {
                long number = RoundingArithmetic.halfEven((double) from[at + i] / scale) + zeroPoint;
                to[i] = (short) Math.max(element.min(), Math.min(element.max(), number));
            }
        }
    }
}
