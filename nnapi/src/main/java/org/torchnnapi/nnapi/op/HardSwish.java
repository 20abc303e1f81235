package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code x * min(6, max(0, x + 3)) / 6} of each element. */
final class HardSwish extends ElementwiseUnary {
    HardSwish() {
        super(
                OperationType.HARD_SWISH,
                described()
                        .rows(V1_3, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    double apply(double x) {
        return x * Math.min(6, Math.max(0, x + 3)) / 6;
    }
}
