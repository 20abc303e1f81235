package org.torchnnapi.execution.tracing.lower;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.torchnnapi.kernels.MappedPages;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** What several families ask of arguments. */
final class Support {
    private Support() {}

    /** A tensor argument of float32. */
    static Tensor floats(Object[] args, int i) {
        if (args[i] instanceof Tensor t && t.dtype() == DType.FLOAT32) {
            return t;
        }
        throw new NotLoweredException("argument " + i + " (expected: a float32 tensor)");
    }

    /** A tensor argument of per-tensor quantized bytes. */
    static Tensor bytes(Object[] args, int i) {
        if (args[i] instanceof Tensor t && isBytes(t)) {
            return t;
        }
        throw new NotLoweredException("argument " + i + " (expected: a quantized tensor)");
    }

    static boolean isBytes(Tensor t) {
        return (t.dtype() == DType.QUINT8 || t.dtype() == DType.QINT8)
                && t.quantization() instanceof Quantization.PerTensor;
    }

    /** A float32 tensor argument that never varies, or null for None. */
    static Tensor constantOrNull(Lowered lowered, Object[] args, int i) {
        return args[i] == null ? null : constant(lowered, args, i);
    }

    static Tensor constant(Lowered lowered, Object[] args, int i) {
        require(!lowered.varies(args[i]), "a constant");
        return floats(args, i);
    }

    /** The elements in row-major order, not to be changed. */
    static float[] values(Tensor constant) {
        Tensor dense = unretained(constant).contiguous();
        float[] all = dense.storage().floatArray();
        int count = (int) dense.numel();
        return dense.offset() == 0 && all.length == count
                ? all
                : Arrays.copyOfRange(all, dense.offset(), dense.offset() + count);
    }

    /** The elements in row-major order; those that lie in a file in that order stay there until they are packed. */
    static Weights weights(Tensor constant) {
        return new TensorWeights(constant);
    }

    /**
     * A constant whose elements, if they lie in a file still, are read for once, so that only packed weights stay in
     * memory.
     */
    static Tensor unretained(Tensor constant) {
        Storage storage = constant.storage();
        if (storage.heapBytes() > 0
                || storage.dtype() != DType.FLOAT32 && storage.dtype().bytes() != 1) {
            return constant;
        }
        ByteBuffer bytes = storage.view();
        Object array;
        if (storage.dtype() == DType.FLOAT32) {
            float[] floats = new float[storage.length()];
            bytes.asFloatBuffer().get(floats);
            array = floats;
        } else {
            byte[] all = new byte[storage.length()];
            bytes.get(all);
            array = all;
        }
        MappedPages.release(bytes);
        return new Tensor(
                Storage.of(storage.dtype(), array),
                constant.offset(),
                constant.sizes(),
                constant.strides(),
                constant.quantization());
    }

    static float[] valuesOrNull(Tensor constant) {
        return constant == null ? null : values(constant);
    }

    static void require(boolean holds, String expected) {
        if (!holds) {
            throw new NotLoweredException("(expected: " + expected + ")");
        }
    }

    /** A tensor that varies, or one that a program can have as a constant. */
    static boolean isOperand(Object value) {
        return value instanceof Tensor t && t.dtype() == DType.FLOAT32;
    }

    /** A float32 constant of one element and no dimensions. */
    static Tensor scalar(double value) {
        return Tensor.of(new float[] {(float) value});
    }

    /**
     * A result that lies as images like {@code like} do: channels last if those do, otherwise row-major, and so if it
     * is both.
     */
    static Tensor inFormatOf(Tensor like, int... sizes) {
        MemoryFormat format = MemoryOrder.suggested(like);
        Tensor rows = Lowered.tensor(like.dtype(), like.quantization(), sizes);
        return sizes.length != 4 || rows.isContiguous(format)
                ? rows
                : Lowered.tensor(like.dtype(), like.quantization(), format, sizes);
    }

    /** A result of a function of each element. */
    static Tensor like(Tensor t, DType type, Quantization quantization) {
        return Lowered.tensor(type, quantization, t.sizes(), MemoryOrder.resultStrides(t.sizes(), t));
    }

    static ByteQuantization quantization(Tensor t) {
        return quantization(t.dtype(), QuantizedMath.perTensor(t));
    }

    static ByteQuantization quantization(DType type, Quantization.PerTensor q) {
        return new ByteQuantization(
                type == DType.QINT8 ? Element.INT8 : Element.UINT8, (float) q.scale(), q.zeroPoint());
    }

    /** All 256 bytes, the unsigned value at its index, as a tensor of that type and quantization. */
    static Tensor allBytes(Tensor like, int... sizes) {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        return Tensor.of(like.dtype(), all, sizes).withQuantization(like.quantization());
    }

    /** A constant of any real type as float32. */
    static Tensor asFloat(Tensor constant) {
        return Elements.cast(constant, DType.FLOAT32);
    }
}
