package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import java.util.stream.IntStream;
import org.torchnnapi.nnapi.model.OperationType;

/** The same elements with one more axis, of size 1. */
final class ExpandDims extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "axis");
    private static final int INPUT = INPUTS.at("input");
    private static final int AXIS = INPUTS.at("axis");

    ExpandDims() {
        super(
                OperationType.EXPAND_DIMS,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_2, INT32)
                        .zeroSizedInputs()
                        .sameQuantization("input", "output")
                        .newAxis("axis", "input")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS), dims.length + 1);
        operation.setOutput(
                OUT,
                IntStream.rangeClosed(0, dims.length)
                        .map(i -> i < axis ? dims[i] : i == axis ? 1 : dims[i - 1])
                        .toArray());
    }

    @Override
    public void execute(ExecutionContext operation) {
        operation.copy(INPUT, OUT);
    }
}
