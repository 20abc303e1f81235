package org.torchnnapi.engine;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Buffers;

/** Tensors as NNAPI's inputs and outputs. Memory is shared where it is dense. */
final class NnapiTensors {
    private NnapiTensors() {}

    /** A typed buffer over the elements of a dense tensor. */
    static Buffer buffer(Tensor tensor) {
        Object array = tensor.storage().array();
        int from = tensor.offset();
        int count = (int) tensor.numel();
        if (array instanceof float[] floats) {
            return FloatBuffer.wrap(floats, from, count).slice();
        }
        if (array instanceof int[] ints) {
            return IntBuffer.wrap(ints, from, count).slice();
        }
        if (array instanceof short[] shorts) {
            return ShortBuffer.wrap(shorts, from, count).slice();
        }
        if (array instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes, from, count).slice();
        }
        throw new IllegalArgumentException(
                "tensor: " + tensor.dtype().torchName() + " (expected: float32, int32, int16, float16, bool, or a "
                        + "quantized or 8-bit type, which NNAPI has)");
    }

    /**
     * Checks that a tensor can be the value of an operand.
     *
     * @param place for the message, for example {@code input 0}
     * @throws IllegalArgumentException if its element type is another
     */
    static void check(String place, Tensor tensor, Operand operand) {
        OperandType type = operand.type();
        boolean fits = switch (type) {
            case TENSOR_FLOAT32, FLOAT32 -> tensor.dtype() == DType.FLOAT32;
            case TENSOR_FLOAT16, FLOAT16 -> tensor.dtype() == DType.FLOAT16;
            case TENSOR_INT32, INT32, UINT32 -> tensor.dtype() == DType.INT32 || tensor.dtype() == DType.QINT32;
            case TENSOR_QUANT8_ASYMM -> tensor.dtype() == DType.QUINT8 || tensor.dtype() == DType.UINT8;
            case TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL ->
                tensor.dtype() == DType.QINT8 || tensor.dtype() == DType.INT8;
            case TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM -> tensor.dtype() == DType.INT16;
            case TENSOR_BOOL8, BOOL -> tensor.dtype() == DType.BOOL;
            case SUBGRAPH, OEM_SCALAR, TENSOR_OEM_BYTE, EXTENSION_SCALAR, EXTENSION_TENSOR -> false;
        };
        if (!fits) {
            throw new IllegalArgumentException(
                    place + ": " + tensor + " (expected: a tensor for " + operand.descriptor() + ")");
        }
    }

    /**
     * What tells a tensor's scale or zero point from an operand's, or null if they are the same or the tensor has none.
     * NNAPI is given bytes alone, which mean what the model says.
     */
    static String otherQuantization(String place, Tensor tensor, Operand operand) {
        if (tensor.quantization() instanceof Quantization.PerTensor q
                && operand.type().isQuantized()
                && ((float) q.scale() != operand.descriptor().scale()
                        || q.zeroPoint() != operand.descriptor().zeroPoint())) {
            return place + ": scale " + q.scale() + ", zero point " + q.zeroPoint()
                    + " (expected: those of the converted model, "
                    + operand.descriptor().scale() + " and "
                    + operand.descriptor().zeroPoint() + ")";
        }
        return null;
    }

    /** Makes a template tensor hold an output: NNAPI's dimensions, the template's element type and quantization. */
    static void fill(Tensor template, Compilation.Output output) {
        int[] sizes = output.dimensions();
        int count = Math.toIntExact(Shape.numel(sizes));
        Storage storage = Storage.of(template.dtype(), elements(output.data(), count));
        template.become(new Tensor(storage, 0, sizes, Shape.contiguousStrides(sizes), template.quantization()));
    }

    /**
     * The value of an operand as a tensor of its own type and quantization; null for a type that tensors do not have.
     */
    static Tensor tensor(Operand operand, Compilation.Output output) {
        DType dtype = switch (operand.type()) {
            case TENSOR_FLOAT32 -> DType.FLOAT32;
            case TENSOR_FLOAT16 -> DType.FLOAT16;
            case TENSOR_INT32 -> DType.INT32;
            case TENSOR_QUANT8_ASYMM -> DType.QUINT8;
            case TENSOR_QUANT8_ASYMM_SIGNED -> DType.QINT8;
            case TENSOR_BOOL8 -> DType.BOOL;
            default -> null;
        };
        if (dtype == null) {
            return null;
        }
        int[] sizes = output.dimensions();
        Storage storage = Storage.of(dtype, elements(output.data(), Math.toIntExact(Shape.numel(sizes))));
        Quantization q = dtype.isQuantized()
                ? new Quantization.PerTensor(
                        operand.descriptor().scale(), operand.descriptor().zeroPoint())
                : null;
        return new Tensor(storage, 0, sizes, Shape.contiguousStrides(sizes), q);
    }

    /** The first {@code count} elements; the buffer's own array if it has exactly these. */
    private static Object elements(Buffer data, int count) {
        boolean whole = data.hasArray() && data.arrayOffset() == 0 && data.capacity() == count;
        if (data instanceof FloatBuffer floats) {
            if (whole && floats.array().length == count) {
                return floats.array();
            }
            float[] out = new float[count];
            Buffers.whole(floats).get(out);
            return out;
        }
        if (data instanceof IntBuffer ints) {
            int[] out = new int[count];
            Buffers.whole(ints).get(out);
            return out;
        }
        if (data instanceof ShortBuffer shorts) {
            short[] out = new short[count];
            Buffers.whole(shorts).get(out);
            return out;
        }
        ByteBuffer bytes = (ByteBuffer) data;
        if (whole && bytes.array().length == count) {
            return bytes.array();
        }
        byte[] out = new byte[count];
        Buffers.whole(bytes).get(out);
        return out;
    }
}
