package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;

import org.torchnnapi.nnapi.model.OperationType;

/** The first tensor's element to the power of the second's; the tensors broadcast. */
final class Pow extends OperationDefinition {
    private static final int BASE = 0;
    private static final int EXPONENT = 1;
    private static final int OUT = 0;

    Pow() {
        super(OperationType.POW, Signatures.builder()
                .rows(V1_2, 2, TENSOR_FLOAT32, TENSOR_FLOAT16)
                .zeroSizedInputs()
                .build());
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, BASE, EXPONENT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Broadcast.reals(operation, BASE, EXPONENT, OUT, (a, b) -> (float) StrictMath.pow(a, b));
    }
}
