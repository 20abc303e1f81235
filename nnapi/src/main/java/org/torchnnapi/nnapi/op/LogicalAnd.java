package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;

import org.torchnnapi.nnapi.model.OperationType;

/** Where both elements are true, of two tensors that broadcast. */
final class LogicalAnd extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("a", "b");
    private static final int A = INPUTS.at("a");
    private static final int B = INPUTS.at("b");

    LogicalAnd() {
        super(
                OperationType.LOGICAL_AND,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 2, TENSOR_BOOL8)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, A, B));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Broadcast.ints(operation, A, B, OUT, (a, b) -> a & b);
    }
}
