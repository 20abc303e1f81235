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

/** The mean along some axes. */
final class Mean extends Reduction {
    Mean() {
        super(
                OperationType.MEAN,
                described()
                        .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, TENSOR_INT32, INT32)
                        .build());
    }

    @Override
    double identity() {
        return 0;
    }

    @Override
    double combine(double reduced, double element) {
        return reduced + element;
    }

    @Override
    double finish(double reduced, int count) {
        return reduced / count;
    }
}
