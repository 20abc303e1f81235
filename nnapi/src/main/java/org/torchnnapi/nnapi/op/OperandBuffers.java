package org.torchnnapi.nnapi.op;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.MemoryLimit;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * The buffers operand data lives in: FloatBuffer for float32, IntBuffer for 32-bit integers, ShortBuffer for float16
 * and 16-bit integers, ByteBuffer for the rest. A raw ByteBuffer is accepted for every type and read as little-endian.
 */
public final class OperandBuffers {
    private OperandBuffers() {}

    /**
     * The typed view of a buffer from its position to its limit, sharing its memory.
     *
     * @throws NnapiException BAD_DATA if the buffer's kind does not go with the type
     */
    public static Buffer view(OperandType type, Buffer buffer) {
        OperandType.Element element = type.element();
        if (buffer instanceof ByteBuffer bytes) {
            ByteBuffer raw = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
            return switch (element) {
                case FLOAT32 -> raw.asFloatBuffer();
                case INT32 -> raw.asIntBuffer();
                case FLOAT16, INT16, UINT16 -> raw.asShortBuffer();
                default -> raw;
            };
        }
        if (element == OperandType.Element.FLOAT32 && buffer instanceof FloatBuffer floats) {
            return floats.position() == 0 && floats.limit() == floats.capacity() ? floats : floats.slice();
        }
        if (element == OperandType.Element.INT32 && buffer instanceof IntBuffer ints) {
            return ints.position() == 0 && ints.limit() == ints.capacity() ? ints : ints.slice();
        }
        if (element.bytes() == 2 && buffer instanceof ShortBuffer shorts) {
            return shorts.position() == 0 && shorts.limit() == shorts.capacity() ? shorts : shorts.slice();
        }
        throw new NnapiException(
                ResultCode.BAD_DATA,
                "buffer: " + (buffer == null ? "null" : buffer.getClass().getSimpleName()) + " for " + type
                        + " (expected: "
                        + switch (element) {
                            case FLOAT32 -> "FloatBuffer or ByteBuffer";
                            case INT32 -> "IntBuffer or ByteBuffer";
                            case FLOAT16, INT16, UINT16 -> "ShortBuffer or ByteBuffer";
                            default -> "ByteBuffer";
                        }
                        + ")");
    }

    /**
     * A new typed buffer of zeros on the heap.
     *
     * @throws NnapiException OUT_OF_MEMORY if there is no room for it, or {@link MemoryLimit} allows no value so large
     */
    public static Buffer allocate(OperandType type, int elements) {
        long bytes = (long) elements * type.element().bytes();
        if (!MemoryLimit.allows(bytes)) {
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY,
                    MemoryLimit.refusal("value of " + elements + " elements of " + type, bytes));
        }
        try {
            return allocateOnHeap(type, elements);
        } catch (OutOfMemoryError e) {
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY,
                    "value of " + elements + " elements of " + type + " (expected: to fit the heap)");
        }
    }

    /**
     * A new typed buffer of zeros on the heap for a value of this shape.
     *
     * @throws NnapiException OUT_OF_MEMORY if there is no room for it, or no buffer is so large
     */
    public static Buffer allocate(OperandDescriptor operand, int[] shape) {
        return allocate(operand.type(), elements(operand, shape));
    }

    /**
     * How many elements the buffer of a value has: as many as the shape; of a type of an extension its bytes.
     *
     * @throws NnapiException OUT_OF_MEMORY if no buffer holds so many
     */
    public static int elements(OperandDescriptor operand, int[] shape) {
        long count = (long) elements(shape) * (operand.extension() == null ? 1 : operand.elementBytes());
        if (count > Integer.MAX_VALUE) {
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY,
                    "value of " + operand + " " + Arrays.toString(shape) + " (expected: at most 2^31 - 1 bytes)");
        }
        return (int) count;
    }

    /**
     * How many elements a shape has.
     *
     * @throws NnapiException OUT_OF_MEMORY if no buffer holds so many
     */
    public static int elements(int[] shape) {
        long count = 1;
        boolean empty = false;
        for (int size : shape) {
            empty |= size == 0;
            count = Math.min(count, Integer.MAX_VALUE + 1L) * Math.max(size, 1);
        }
        count = empty ? 0 : count;
        if (count > Integer.MAX_VALUE) {
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY,
                    "value of shape " + Arrays.toString(shape) + " (expected: at most 2^31 - 1 elements)");
        }
        return (int) count;
    }

    private static Buffer allocateOnHeap(OperandType type, int elements) {
        return switch (type.element()) {
            case FLOAT32 -> FloatBuffer.allocate(elements);
            case INT32 -> IntBuffer.allocate(elements);
            case FLOAT16, INT16, UINT16 -> ShortBuffer.allocate(elements);
            default -> ByteBuffer.allocate(elements).order(ByteOrder.LITTLE_ENDIAN);
        };
    }

    /** A view of the first {@code elements} elements of a typed buffer. */
    public static Buffer first(Buffer buffer, int elements) {
        Buffer view;
        if (buffer instanceof FloatBuffer floats) {
            view = floats.duplicate();
        } else if (buffer instanceof IntBuffer ints) {
            view = ints.duplicate();
        } else if (buffer instanceof ShortBuffer shorts) {
            view = shorts.duplicate();
        } else {
            view = ((ByteBuffer) buffer).duplicate();
        }
        view.position(0);
        return view.limit(elements);
    }

    /** Copies the first {@code elements} elements between typed buffers of one kind, whatever their positions. */
    public static void copy(Buffer from, Buffer to, int elements) {
        if (from instanceof FloatBuffer source) {
            Buffers.copy(source, 0, (FloatBuffer) to, 0, elements);
        } else if (from instanceof IntBuffer source) {
            Buffers.copy(source, 0, (IntBuffer) to, 0, elements);
        } else if (from instanceof ShortBuffer source) {
            Buffers.copy(source, 0, (ShortBuffer) to, 0, elements);
        } else {
            Buffers.copy((ByteBuffer) from, 0, (ByteBuffer) to, 0, elements);
        }
    }
}
