package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;

import org.torchnnapi.nnapi.model.OperationType;

/** The first tensor's element to the power of the second's; the tensors broadcast. */
final class Pow extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("base", "exponent");
    private static final int BASE = INPUTS.at("base");
    private static final int EXPONENT = INPUTS.at("exponent");

    Pow() {
        super(
                OperationType.POW,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 2, TENSOR_FLOAT32, TENSOR_FLOAT16)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, BASE, EXPONENT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Broadcast.reals(operation, BASE, EXPONENT, OUT, (a, b) -> (float) StrictMath.pow(a, b));
    }
}
