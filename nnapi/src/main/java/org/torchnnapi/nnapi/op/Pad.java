package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** A tensor with zeros around it; quantized tensors are padded with their zero point. */
final class Pad extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int PADDINGS = 1;
    private static final int OUT = 0;

    Pad() {
        super(OperationType.PAD, Signatures.builder()
                .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                .rows(V1_2, 1, TENSOR_FLOAT16)
                .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                .tail(V1_1, TENSOR_INT32)
                .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        Padding.check(operation, INPUT, PADDINGS);
        operation.requireSameQuantization(INPUT, OUT);
        if (operation.input(INPUT).zeroPoint() != 0 && operation.type(INPUT).isQuantized()) {
            operation.needs(V1_2, "PAD with a zero point other than 0");
        }
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.setOutput(OUT, Padding.shape(operation, INPUT, PADDINGS));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Padding.execute(operation, INPUT, PADDINGS, OUT, operation.zeroPoint(INPUT));
    }
}
