package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** Element-wise difference of two tensors that broadcast, with a fused activation. */
final class Sub extends FusedArithmetic {
    Sub() {
        super(
                OperationType.SUB,
                described()
                        .rows(V1_1, 2, TENSOR_FLOAT32)
                        .rows(V1_2, 2, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 2, TENSOR_INT32, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, INT32)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    float apply(float a, float b) {
        return a - b;
    }

    @Override
    double apply(double a, double b) {
        return a - b;
    }

    @Override
    int apply(int a, int b) {
        return a - b;
    }
}
