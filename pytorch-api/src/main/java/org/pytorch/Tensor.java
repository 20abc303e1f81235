package org.pytorch;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Locale;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * A dense multidimensional array in a direct buffer. Arrays given to {@code fromBlob} are copied; buffers are used as
 * they are, so that later changes of the buffer change the tensor.
 */
public abstract class Tensor {
    final long[] shape;
    final MemoryFormat memoryFormat;

    private Tensor(long[] shape, MemoryFormat memoryFormat) {
        this.shape = shape.clone();
        this.memoryFormat = memoryFormat;
    }

    /** A direct buffer of native byte order. */
    public static ByteBuffer allocateByteBuffer(int numElements) {
        return ByteBuffer.allocateDirect(numElements).order(ByteOrder.nativeOrder());
    }

    /** A direct buffer of native byte order. */
    public static IntBuffer allocateIntBuffer(int numElements) {
        return allocateByteBuffer(Math.multiplyExact(numElements, Integer.BYTES))
                .asIntBuffer();
    }

    /** A direct buffer of native byte order. */
    public static FloatBuffer allocateFloatBuffer(int numElements) {
        return allocateByteBuffer(Math.multiplyExact(numElements, Float.BYTES)).asFloatBuffer();
    }

    /** A direct buffer of native byte order. */
    public static LongBuffer allocateLongBuffer(int numElements) {
        return allocateByteBuffer(Math.multiplyExact(numElements, Long.BYTES)).asLongBuffer();
    }

    /** A direct buffer of native byte order. */
    public static DoubleBuffer allocateDoubleBuffer(int numElements) {
        return allocateByteBuffer(Math.multiplyExact(numElements, Double.BYTES)).asDoubleBuffer();
    }

    /**
     * A uint8 tensor over a copy of the array.
     *
     * @param data elements in the order of {@code memoryFormat}
     * @param shape sizes of the dimensions
     * @throws IllegalArgumentException if an argument is null or the number of elements is not that of the shape
     */
    public static Tensor fromBlobUnsigned(byte[] data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_uint8(copyOf(data, shape), shape, memoryFormat);
    }

    /** As {@link #fromBlobUnsigned(byte[], long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlobUnsigned(byte[] data, long[] shape) {
        return fromBlobUnsigned(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** An int8 tensor over a copy of the array; see {@link #fromBlobUnsigned(byte[], long[], MemoryFormat)}. */
    public static Tensor fromBlob(byte[] data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_int8(copyOf(data, shape), shape, memoryFormat);
    }

    /** As {@link #fromBlob(byte[], long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(byte[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** An int32 tensor over a copy of the array; see {@link #fromBlobUnsigned(byte[], long[], MemoryFormat)}. */
    public static Tensor fromBlob(int[] data, long[] shape, MemoryFormat memoryFormat) {
        checkArray(data, data == null ? 0 : data.length, shape);
        IntBuffer buffer = allocateIntBuffer(data.length);
        buffer.put(data);
        return new Tensor_int32(buffer, shape, memoryFormat);
    }

    /** As {@link #fromBlob(int[], long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(int[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** A float32 tensor over a copy of the array; see {@link #fromBlobUnsigned(byte[], long[], MemoryFormat)}. */
    public static Tensor fromBlob(float[] data, long[] shape, MemoryFormat memoryFormat) {
        checkArray(data, data == null ? 0 : data.length, shape);
        FloatBuffer buffer = allocateFloatBuffer(data.length);
        buffer.put(data);
        return new Tensor_float32(buffer, shape, memoryFormat);
    }

    /** As {@link #fromBlob(float[], long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(float[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** An int64 tensor over a copy of the array; see {@link #fromBlobUnsigned(byte[], long[], MemoryFormat)}. */
    public static Tensor fromBlob(long[] data, long[] shape, MemoryFormat memoryFormat) {
        checkArray(data, data == null ? 0 : data.length, shape);
        LongBuffer buffer = allocateLongBuffer(data.length);
        buffer.put(data);
        return new Tensor_int64(buffer, shape, memoryFormat);
    }

    /** As {@link #fromBlob(long[], long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(long[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** A float64 tensor over a copy of the array; see {@link #fromBlobUnsigned(byte[], long[], MemoryFormat)}. */
    public static Tensor fromBlob(double[] data, long[] shape, MemoryFormat memoryFormat) {
        checkArray(data, data == null ? 0 : data.length, shape);
        DoubleBuffer buffer = allocateDoubleBuffer(data.length);
        buffer.put(data);
        return new Tensor_float64(buffer, shape, memoryFormat);
    }

    /** As {@link #fromBlob(double[], long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(double[] data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /**
     * A uint8 tensor on the buffer itself, from its start to its capacity.
     *
     * @param data direct, in native byte order, with elements in the order of {@code memoryFormat}
     * @param shape sizes of the dimensions
     * @throws IllegalArgumentException if an argument is null, the buffer is of another kind, or its capacity is not
     *     the number of elements of the shape
     */
    public static Tensor fromBlobUnsigned(ByteBuffer data, long[] shape, MemoryFormat memoryFormat) {
        checkBuffer(data, shape, data == null ? null : data.order());
        return new Tensor_uint8(data, shape, memoryFormat);
    }

    /** As {@link #fromBlobUnsigned(ByteBuffer, long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlobUnsigned(ByteBuffer data, long[] shape) {
        return fromBlobUnsigned(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** An int8 tensor on the buffer itself; see {@link #fromBlobUnsigned(ByteBuffer, long[], MemoryFormat)}. */
    public static Tensor fromBlob(ByteBuffer data, long[] shape, MemoryFormat memoryFormat) {
        checkBuffer(data, shape, data == null ? null : data.order());
        return new Tensor_int8(data, shape, memoryFormat);
    }

    /** As {@link #fromBlob(ByteBuffer, long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(ByteBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** An int32 tensor on the buffer itself; see {@link #fromBlobUnsigned(ByteBuffer, long[], MemoryFormat)}. */
    public static Tensor fromBlob(IntBuffer data, long[] shape, MemoryFormat memoryFormat) {
        checkBuffer(data, shape, data == null ? null : data.order());
        return new Tensor_int32(data, shape, memoryFormat);
    }

    /** As {@link #fromBlob(IntBuffer, long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(IntBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** A float32 tensor on the buffer itself; see {@link #fromBlobUnsigned(ByteBuffer, long[], MemoryFormat)}. */
    public static Tensor fromBlob(FloatBuffer data, long[] shape, MemoryFormat memoryFormat) {
        checkBuffer(data, shape, data == null ? null : data.order());
        return new Tensor_float32(data, shape, memoryFormat);
    }

    /** As {@link #fromBlob(FloatBuffer, long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(FloatBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** An int64 tensor on the buffer itself; see {@link #fromBlobUnsigned(ByteBuffer, long[], MemoryFormat)}. */
    public static Tensor fromBlob(LongBuffer data, long[] shape, MemoryFormat memoryFormat) {
        checkBuffer(data, shape, data == null ? null : data.order());
        return new Tensor_int64(data, shape, memoryFormat);
    }

    /** As {@link #fromBlob(LongBuffer, long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(LongBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** A float64 tensor on the buffer itself; see {@link #fromBlobUnsigned(ByteBuffer, long[], MemoryFormat)}. */
    public static Tensor fromBlob(DoubleBuffer data, long[] shape, MemoryFormat memoryFormat) {
        checkBuffer(data, shape, data == null ? null : data.order());
        return new Tensor_float64(data, shape, memoryFormat);
    }

    /** As {@link #fromBlob(DoubleBuffer, long[], MemoryFormat)}, contiguous. */
    public static Tensor fromBlob(DoubleBuffer data, long[] shape) {
        return fromBlob(data, shape, MemoryFormat.CONTIGUOUS);
    }

    /** Number of elements. */
    public long numel() {
        return numel(shape);
    }

    /**
     * Number of elements of a shape.
     *
     * @throws IllegalArgumentException if the shape is null or a size is negative
     */
    public static long numel(long[] shape) {
        checkShape(shape);
        long product = 1;
        for (long size : shape) {
            product *= size;
        }
        return product;
    }

    /** Sizes of the dimensions; a copy. */
    public long[] shape() {
        return shape.clone();
    }

    /** In which order of dimensions the elements lie in memory. */
    public MemoryFormat memoryFormat() {
        return memoryFormat;
    }

    /** Type of the elements. */
    public abstract DType dtype();

    /** The buffer with the elements; for the conversion to runtime values. */
    abstract Buffer data();

    /**
     * A copy of the elements in the order of the memory format.
     *
     * @throws IllegalStateException if this is no int8 tensor
     */
    public byte[] getDataAsByteArray() {
        throw wrongType("byte");
    }

    /**
     * A copy of the elements in the order of the memory format.
     *
     * @throws IllegalStateException if this is no uint8 tensor
     */
    public byte[] getDataAsUnsignedByteArray() {
        throw wrongType("byte");
    }

    /**
     * A copy of the elements in the order of the memory format.
     *
     * @throws IllegalStateException if this is no int32 tensor
     */
    public int[] getDataAsIntArray() {
        throw wrongType("int");
    }

    /**
     * A copy of the elements in the order of the memory format.
     *
     * @throws IllegalStateException if this is no float32 tensor
     */
    public float[] getDataAsFloatArray() {
        throw wrongType("float");
    }

    /**
     * A copy of the elements in the order of the memory format.
     *
     * @throws IllegalStateException if this is no int64 tensor
     */
    public long[] getDataAsLongArray() {
        throw wrongType("long");
    }

    /**
     * A copy of the elements in the order of the memory format.
     *
     * @throws IllegalStateException if this is no float64 tensor
     */
    public double[] getDataAsDoubleArray() {
        throw wrongType("double");
    }

    @Override
    public String toString() {
        return "Tensor(" + Arrays.toString(shape) + ", dtype=torch."
                + dtype().name().toLowerCase(Locale.ROOT) + ")";
    }

    // The tensor on a buffer, direct or not, of as many elements as the shape has.

    static Tensor onUnsigned(ByteBuffer data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_uint8(data, shape, memoryFormat);
    }

    static Tensor on(ByteBuffer data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_int8(data, shape, memoryFormat);
    }

    static Tensor on(IntBuffer data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_int32(data, shape, memoryFormat);
    }

    static Tensor on(FloatBuffer data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_float32(data, shape, memoryFormat);
    }

    static Tensor on(LongBuffer data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_int64(data, shape, memoryFormat);
    }

    static Tensor on(DoubleBuffer data, long[] shape, MemoryFormat memoryFormat) {
        return new Tensor_float64(data, shape, memoryFormat);
    }

    private IllegalStateException wrongType(String array) {
        return new IllegalStateException(
                "Tensor of type " + getClass().getSimpleName() + " cannot return data as " + array + " array.");
    }

    private static ByteBuffer copyOf(byte[] data, long[] shape) {
        checkArray(data, data == null ? 0 : data.length, shape);
        ByteBuffer buffer = allocateByteBuffer(data.length);
        buffer.put(data);
        return buffer;
    }

    private static byte[] bytes(ByteBuffer data) {
        byte[] out = new byte[data.capacity()];
        Buffers.whole(data).get(out);
        return out;
    }

    private static void checkArray(Object data, int length, long[] shape) {
        checkArgument(data != null, "Data array must be not null");
        checkCapacity(length, shape);
    }

    private static void checkBuffer(Buffer data, long[] shape, ByteOrder order) {
        checkArgument(data != null, "Data buffer must be not null");
        checkCapacity(data.capacity(), shape);
        checkArgument(data.isDirect(), "Data buffer must be direct (java.nio.ByteBuffer#allocateDirect)");
        checkArgument(
                order == ByteOrder.nativeOrder(),
                "Data buffer must have native byte order (java.nio.ByteOrder#nativeOrder)");
    }

    private static void checkCapacity(int capacity, long[] shape) {
        long numel = numel(shape);
        if (numel != capacity) {
            throw new IllegalArgumentException("Inconsistent data capacity:" + capacity + " and shape number elements:"
                    + numel + " shape:" + Arrays.toString(shape));
        }
    }

    private static void checkShape(long[] shape) {
        checkArgument(shape != null, "Shape must be not null");
        for (long size : shape) {
            checkArgument(size >= 0, "Shape elements must be non negative");
        }
    }

    private static void checkArgument(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    // The class names show in messages that applications know from PyTorch.

    static class Tensor_uint8 extends Tensor {
        private final ByteBuffer data;

        private Tensor_uint8(ByteBuffer data, long[] shape, MemoryFormat memoryFormat) {
            super(shape, memoryFormat);
            this.data = data;
        }

        @Override
        public DType dtype() {
            return DType.UINT8;
        }

        @Override
        ByteBuffer data() {
            return data;
        }

        @Override
        public byte[] getDataAsUnsignedByteArray() {
            return bytes(data);
        }
    }

    static class Tensor_int8 extends Tensor {
        private final ByteBuffer data;

        private Tensor_int8(ByteBuffer data, long[] shape, MemoryFormat memoryFormat) {
            super(shape, memoryFormat);
            this.data = data;
        }

        @Override
        public DType dtype() {
            return DType.INT8;
        }

        @Override
        ByteBuffer data() {
            return data;
        }

        @Override
        public byte[] getDataAsByteArray() {
            return bytes(data);
        }
    }

    static class Tensor_int32 extends Tensor {
        private final IntBuffer data;

        private Tensor_int32(IntBuffer data, long[] shape, MemoryFormat memoryFormat) {
            super(shape, memoryFormat);
            this.data = data;
        }

        @Override
        public DType dtype() {
            return DType.INT32;
        }

        @Override
        IntBuffer data() {
            return data;
        }

        @Override
        public int[] getDataAsIntArray() {
            int[] out = new int[data.capacity()];
            Buffers.whole(data).get(out);
            return out;
        }
    }

    static class Tensor_float32 extends Tensor {
        private final FloatBuffer data;

        private Tensor_float32(FloatBuffer data, long[] shape, MemoryFormat memoryFormat) {
            super(shape, memoryFormat);
            this.data = data;
        }

        @Override
        public DType dtype() {
            return DType.FLOAT32;
        }

        @Override
        FloatBuffer data() {
            return data;
        }

        @Override
        public float[] getDataAsFloatArray() {
            float[] out = new float[data.capacity()];
            Buffers.whole(data).get(out);
            return out;
        }
    }

    static class Tensor_int64 extends Tensor {
        private final LongBuffer data;

        private Tensor_int64(LongBuffer data, long[] shape, MemoryFormat memoryFormat) {
            super(shape, memoryFormat);
            this.data = data;
        }

        @Override
        public DType dtype() {
            return DType.INT64;
        }

        @Override
        LongBuffer data() {
            return data;
        }

        @Override
        public long[] getDataAsLongArray() {
            long[] out = new long[data.capacity()];
            Buffers.whole(data).get(out);
            return out;
        }
    }

    static class Tensor_float64 extends Tensor {
        private final DoubleBuffer data;

        private Tensor_float64(DoubleBuffer data, long[] shape, MemoryFormat memoryFormat) {
            super(shape, memoryFormat);
            this.data = data;
        }

        @Override
        public DType dtype() {
            return DType.FLOAT64;
        }

        @Override
        DoubleBuffer data() {
            return data;
        }

        @Override
        public double[] getDataAsDoubleArray() {
            double[] out = new double[data.capacity()];
            Buffers.whole(data).get(out);
            return out;
        }
    }
}
