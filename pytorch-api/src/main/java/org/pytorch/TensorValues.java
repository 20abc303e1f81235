package org.pytorch;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.platform.Buffers;

/** Tensors of this API to tensors of the runtime and back; elements are copied. */
final class TensorValues {
    private TensorValues() {}

    /**
     * @param memory null for new memory
     * @throws IllegalArgumentException for a null tensor, or sizes beyond 32 bits or of another rank than the format's
     */
    static org.torchnnapi.tensor.Tensor toRuntime(Tensor tensor, ArgumentMemory memory) {
        if (tensor == null) {
            throw new IllegalArgumentException("Tensor: null (expected: a tensor)");
        }
        int[] sizes = Shape.toInts(tensor.shape);
        org.torchnnapi.tensor.DType dtype = dtype(tensor.dtype());
        int count = tensor.data().capacity();
        Storage storage = memory == null ? Storage.allocate(dtype, count) : memory.allocate(dtype, count);
        copy(tensor.data(), storage.array(), false);
        return new org.torchnnapi.tensor.Tensor(
                storage, 0, sizes, Shape.strides(format(tensor.memoryFormat()), sizes), null);
    }

    /** Copies elements back that the model changed in place. */
    static void writeBack(org.torchnnapi.tensor.Tensor runtime, Tensor tensor) {
        Object array = runtime.storage().array();
        if (tensor.data().isReadOnly()
                || runtime.storage().length() != tensor.data().capacity()
                || runtime.dtype() != dtype(tensor.dtype())
                || equal(tensor.data(), array)) {
            return;
        }
        copy(tensor.data(), array, true);
    }

    /**
     * A tensor that is dense in a channels-last format stays so and says so; any other becomes contiguous. Quantized
     * tensors come out as their integers. On the heap: results come and go with calls, and direct buffers would pile up
     * until the heap is collected for its own sake.
     *
     * @throws IllegalArgumentException if this API has no such element type
     */
    static Tensor fromRuntime(org.torchnnapi.tensor.Tensor tensor) {
        MemoryFormat format = MemoryFormat.CONTIGUOUS;
        if (tensor.isContiguous(org.torchnnapi.tensor.MemoryFormat.CHANNELS_LAST)) {
            format = MemoryFormat.CHANNELS_LAST;
        } else if (tensor.isContiguous(org.torchnnapi.tensor.MemoryFormat.CHANNELS_LAST_3D)) {
            format = MemoryFormat.CHANNELS_LAST_3D;
        }
        org.torchnnapi.tensor.Tensor dense = tensor.contiguous(format(format));
        long[] shape = Shape.toLongs(dense.sizes());
        int from = dense.offset();
        int count = (int) dense.numel();
        Storage storage = dense.storage();
        return switch (dense.dtype()) {
            case UINT8, QUINT8 -> Tensor.onUnsigned(bytes(storage, from, count), shape, format);
            case INT8, QINT8 -> Tensor.on(bytes(storage, from, count), shape, format);
            case INT32, QINT32 ->
                Tensor.on(IntBuffer.wrap(Arrays.copyOfRange(storage.intArray(), from, from + count)), shape, format);
            case FLOAT32 ->
                Tensor.on(
                        FloatBuffer.wrap(Arrays.copyOfRange(storage.floatArray(), from, from + count)), shape, format);
            case INT64 ->
                Tensor.on(LongBuffer.wrap(Arrays.copyOfRange(storage.longArray(), from, from + count)), shape, format);
            case FLOAT64 ->
                Tensor.on(
                        DoubleBuffer.wrap(Arrays.copyOfRange(storage.doubleArray(), from, from + count)),
                        shape,
                        format);
            default ->
                throw new IllegalArgumentException(
                        "at::Tensor scalar type " + dense.dtype().torchName() + " is not supported on java side");
        };
    }

    private static ByteBuffer bytes(Storage storage, int from, int count) {
        return ByteBuffer.wrap(Arrays.copyOfRange(storage.byteArray(), from, from + count));
    }

    private static void copy(Buffer buffer, Object array, boolean toBuffer) {
        if (buffer instanceof ByteBuffer b) {
            ByteBuffer all = Buffers.whole(b);
            transfer(toBuffer, () -> all.put((byte[]) array), () -> all.get((byte[]) array));
        } else if (buffer instanceof IntBuffer b) {
            IntBuffer all = Buffers.whole(b);
            transfer(toBuffer, () -> all.put((int[]) array), () -> all.get((int[]) array));
        } else if (buffer instanceof FloatBuffer b) {
            FloatBuffer all = Buffers.whole(b);
            transfer(toBuffer, () -> all.put((float[]) array), () -> all.get((float[]) array));
        } else if (buffer instanceof LongBuffer b) {
            LongBuffer all = Buffers.whole(b);
            transfer(toBuffer, () -> all.put((long[]) array), () -> all.get((long[]) array));
        } else {
            DoubleBuffer all = Buffers.whole((DoubleBuffer) buffer);
            transfer(toBuffer, () -> all.put((double[]) array), () -> all.get((double[]) array));
        }
    }

    private static void transfer(boolean toBuffer, Runnable put, Runnable get) {
        if (toBuffer) {
            put.run();
        } else {
            get.run();
        }
    }

    private static boolean equal(Buffer buffer, Object array) {
        if (buffer instanceof ByteBuffer b) {
            return Buffers.whole(b).equals(ByteBuffer.wrap((byte[]) array));
        } else if (buffer instanceof IntBuffer b) {
            return Buffers.whole(b).equals(IntBuffer.wrap((int[]) array));
        } else if (buffer instanceof FloatBuffer b) {
            return Buffers.whole(b).equals(FloatBuffer.wrap((float[]) array));
        } else if (buffer instanceof LongBuffer b) {
            return Buffers.whole(b).equals(LongBuffer.wrap((long[]) array));
        }
        return Buffers.whole((DoubleBuffer) buffer).equals(DoubleBuffer.wrap((double[]) array));
    }

    private static org.torchnnapi.tensor.DType dtype(DType dtype) {
        return org.torchnnapi.tensor.DType.valueOf(dtype.name());
    }

    private static org.torchnnapi.tensor.MemoryFormat format(MemoryFormat format) {
        return org.torchnnapi.tensor.MemoryFormat.valueOf(format.name());
    }
}
