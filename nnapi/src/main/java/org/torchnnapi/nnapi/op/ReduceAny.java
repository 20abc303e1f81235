package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;

import org.torchnnapi.nnapi.model.OperationType;

/** Whether any element along some axes is true. */
final class ReduceAny extends Reduction {
    ReduceAny() {
        super(
                OperationType.REDUCE_ANY,
                described()
                        .rows(V1_2, 1, TENSOR_BOOL8)
                        .tail(V1_2, TENSOR_INT32, BOOL)
                        .build());
    }

    @Override
    double identity() {
        return 0;
    }

    @Override
    double combine(double reduced, double element) {
        return Math.max(reduced, element);
    }
}
