package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code x} where it is not negative, else {@code alpha * x}, alpha a tensor that broadcasts. */
final class Prelu extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "alpha");
    private static final int INPUT = INPUTS.at("input");
    private static final int ALPHA = INPUTS.at("alpha");

    Prelu() {
        super(
                OperationType.PRELU,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 2, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 2, TENSOR_QUANT8_ASYMM_SIGNED)
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, INPUT, ALPHA));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Broadcast.reals(operation, INPUT, ALPHA, OUT, (x, alpha) -> x >= 0 ? x : x * alpha);
    }
}
