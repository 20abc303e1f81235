package org.torchnnapi.converter.lower;

import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** NNAPI's types for PyTorch's. Whole numbers are int32, as NNAPI has no longer ones, and real numbers float32. */
public final class OperandTypes {
    private OperandTypes() {}

    /** @throws Refused if NNAPI has no such tensors */
    public static OperandType of(DType dtype) {
        return switch (dtype) {
            case FLOAT32, FLOAT64, FLOAT16, BFLOAT16 -> OperandType.TENSOR_FLOAT32;
            case INT32, INT64, UINT8, INT8, INT16, QINT32 -> OperandType.TENSOR_INT32;
            case QUINT8 -> OperandType.TENSOR_QUANT8_ASYMM;
            case BOOL -> OperandType.TENSOR_BOOL8;
            default ->
                throw new Refused(
                        "tensors must have a dtype that NNAPI knows",
                        dtype.torchName(),
                        "real or whole numbers, bool or quint8");
        };
    }

    public static boolean isWhole(DType dtype) {
        return dtype == DType.INT64 || dtype == DType.INT32;
    }

    /** Whether a dtype's numbers are real ones, of any precision. */
    static boolean isReal(DType dtype) {
        return dtype == DType.FLOAT32 || dtype == DType.FLOAT64 || dtype == DType.FLOAT16 || dtype == DType.BFLOAT16;
    }

    /** Whether a dtype's whole numbers, of 8 or 16 bits, begin anew beyond the largest. */
    public static boolean isShort(DType dtype) {
        return dtype == DType.UINT8 || dtype == DType.INT8 || dtype == DType.INT16;
    }

    /** Whole numbers as int32, real ones as float32; truth values and quantized numbers stay. */
    static Tensor narrowed(Tensor tensor) {
        if (isReal(tensor.dtype()) && tensor.dtype() != DType.FLOAT32) {
            return Tensor.of(tensor.toFloatArray(), tensor.sizes());
        }
        if (tensor.dtype() != DType.INT64 && !isShort(tensor.dtype())) {
            return tensor;
        }
        long[] from = tensor.toLongArray();
        int[] to = new int[from.length];
        for (int i = 0; i < to.length; i++) {
            to[i] = Math.toIntExact(from[i]);
        }
        return Tensor.of(to, tensor.sizes());
    }
}
