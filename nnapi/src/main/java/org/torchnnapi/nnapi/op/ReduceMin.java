package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** The smallest element along some axes. */
final class ReduceMin extends Reduction {
    ReduceMin() {
        super(
                OperationType.REDUCE_MIN,
                described()
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_2, TENSOR_INT32, BOOL)
                        .build());
    }

    @Override
    double identity() {
        return Double.POSITIVE_INFINITY;
    }

    @Override
    double combine(double reduced, double element) {
        return Math.min(reduced, element);
    }
}
