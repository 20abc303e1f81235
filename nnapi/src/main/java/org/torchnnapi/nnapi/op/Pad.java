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
    private static final OperandNames INPUTS = OperandNames.of("input", "paddings");
    private static final int INPUT = INPUTS.at("input");
    private static final int PADDINGS = INPUTS.at("paddings");

    Pad() {
        super(
                OperationType.PAD,
                Signatures.builder(INPUTS)
                        .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, TENSOR_INT32)
                        .sameQuantization("input", "output")
                        .rank("input", 1, 4)
                        .rankInTheEnd("paddings", 2)
                        .later(
                                "zeroPoint",
                                V1_2,
                                "PAD with a zero point other than 0",
                                operation -> operation.type(INPUT).isQuantized()
                                        && operation.input(INPUT).zeroPoint() != 0)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, Padding.shape(operation, INPUT, PADDINGS));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Padding.execute(operation, INPUT, PADDINGS, OUT, operation.zeroPoint(INPUT));
    }
}
