package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.QuantizedAddition;

/** Element-wise sum of two tensors that broadcast, with a fused activation. */
final class Add extends FusedArithmetic {
    Add() {
        super(
                OperationType.ADD,
                described()
                        .rows(V1_0, 2, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 2, TENSOR_FLOAT16)
                        .rows(V1_3, 2, TENSOR_INT32, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_0, INT32)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    float apply(float a, float b) {
        return a + b;
    }

    @Override
    double apply(double a, double b) {
        return a + b;
    }

    @Override
    int apply(int a, int b) {
        return a + b;
    }

    /** In fixed point as QNNPACK adds, so that converted models return what PyTorch returns, to the bit. */
    @Override
    Steps steps(ExecutionContext operation) {
        QuantizedAddition addition = QuantizedAddition.of(
                operation.scale(A),
                operation.zeroPoint(A),
                operation.scale(B),
                operation.zeroPoint(B),
                operation.outScale(OUT));
        return addition == null ? null : addition::steps;
    }
}
