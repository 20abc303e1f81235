package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** The smaller of two elements, of two tensors that broadcast. */
final class Minimum extends OperationDefinition {
    private static final int A = 0;
    private static final int B = 1;
    private static final int OUT = 0;

    Minimum() {
        super(OperationType.MINIMUM, Signatures.builder()
                .rows(V1_2, 2, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM)
                .rows(V1_3, 2, TENSOR_QUANT8_ASYMM_SIGNED)
                .zeroSizedInputs()
                .build());
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, A, B));
    }

    @Override
    public void execute(ExecutionContext operation) {
        if (operation.type(A) == TENSOR_INT32) {
            Broadcast.ints(operation, A, B, OUT, Math::min);
        } else {
            Broadcast.reals(operation, A, B, OUT, Math::min);
        }
    }
}
