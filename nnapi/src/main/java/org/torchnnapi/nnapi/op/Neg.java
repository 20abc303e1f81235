package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;

import org.torchnnapi.nnapi.model.OperationType;

/** Each element with the opposite sign. */
final class Neg extends ElementwiseUnary {
    Neg() {
        super(
                OperationType.NEG,
                described()
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16)
                        .rows(V1_2, 1, TENSOR_INT32)
                        .build());
    }

    @Override
    double apply(double x) {
        return -x;
    }

    @Override
    public void execute(ExecutionContext operation) {
        if (operation.type(INPUT) == TENSOR_INT32) {
            executeInts(operation, x -> -x);
        } else {
            super.execute(operation);
        }
    }
}
