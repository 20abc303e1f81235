package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;

import org.torchnnapi.nnapi.model.OperationType;

/** The largest whole number not above each element. */
final class Floor extends ElementwiseUnary {
    Floor() {
        super(
                OperationType.FLOOR,
                described()
                        .rows(V1_0, 1, TENSOR_FLOAT32)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rank("input", 1, 4)
                        .build());
    }

    @Override
    double apply(double x) {
        return Math.floor(x);
    }
}
