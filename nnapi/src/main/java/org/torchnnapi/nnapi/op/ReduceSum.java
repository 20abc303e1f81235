package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;

import org.torchnnapi.nnapi.model.OperationType;

/** The sum along some axes. */
final class ReduceSum extends Reduction {
    ReduceSum() {
        super(
                OperationType.REDUCE_SUM,
                described()
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16)
                        .tail(V1_2, TENSOR_INT32, BOOL)
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
}
