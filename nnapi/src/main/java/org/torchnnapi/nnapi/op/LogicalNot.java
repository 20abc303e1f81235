package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;

import org.torchnnapi.nnapi.model.OperationType;

/** The opposite truth value of each element. */
final class LogicalNot extends ElementwiseUnary {
    LogicalNot() {
        super(OperationType.LOGICAL_NOT, described().rows(V1_2, 1, TENSOR_BOOL8).build());
    }

    @Override
    double apply(double x) {
        return 1 - x;
    }

    @Override
    public void execute(ExecutionContext operation) {
        executeInts(operation, x -> 1 - x);
    }
}
