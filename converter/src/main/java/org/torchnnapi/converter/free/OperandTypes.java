package org.torchnnapi.converter.free;

import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** NNAPI's types for PyTorch's. Whole numbers are int32, as NNAPI has no longer ones. */
final class OperandTypes {
    private OperandTypes() {
    }

    /** @throws Refused if NNAPI has no such tensors */
    static OperandType of(DType dtype) {
        return switch (dtype) {
            case FLOAT32 -> OperandType.TENSOR_FLOAT32;
            case INT32, INT64, QINT32 -> OperandType.TENSOR_INT32;
            case QUINT8 -> OperandType.TENSOR_QUANT8_ASYMM;
            case BOOL -> OperandType.TENSOR_BOOL8;
            default -> throw new Refused("tensors must have a dtype that NNAPI knows", dtype.torchName(), "float32, int32, int64, bool or quint8",
                "convert the model, for example with model.float()");
        };
    }

    static boolean isWhole(DType dtype) {
        return dtype == DType.INT64 || dtype == DType.INT32;
    }

    /** int64 as int32. */
    static Tensor narrowed(Tensor tensor) {
        if (tensor.dtype() != DType.INT64) {
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
