package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;

import org.torchnnapi.nnapi.model.OperationType;

/** The product along some axes. */
final class ReduceProd extends Reduction {
    ReduceProd() {
        super(
                OperationType.REDUCE_PROD,
                described()
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16)
                        .tail(V1_2, TENSOR_INT32, BOOL)
                        .build());
    }

    @Override
    double identity() {
        return 1;
    }

    @Override
    double combine(double reduced, double element) {
        return reduced * element;
    }
}
