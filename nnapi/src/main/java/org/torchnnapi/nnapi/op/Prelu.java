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
    private static final int INPUT = 0;
    private static final int ALPHA = 1;
    private static final int OUT = 0;

    Prelu() {
        super(OperationType.PRELU, Signatures.builder()
                .rows(V1_2, 2, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM)
                .rows(V1_3, 2, TENSOR_QUANT8_ASYMM_SIGNED)
                .zeroSizedInputs()
                .build());
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, INPUT, ALPHA));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Broadcast.reals(operation, INPUT, ALPHA, OUT, (x, alpha) -> x >= 0 ? x : x * alpha);
    }
}
