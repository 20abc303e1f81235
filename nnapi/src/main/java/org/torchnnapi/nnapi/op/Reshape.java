package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** The same elements under another shape; one size of -1 is worked out from the others. */
final class Reshape extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "shape");
    private static final int INPUT = INPUTS.at("input");
    private static final int SHAPE = INPUTS.at("shape");

    Reshape() {
        super(
                OperationType.RESHAPE,
                Signatures.builder(INPUTS)
                        .rows(V1_0, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_0, TENSOR_INT32)
                        .rank("input", 1, 4)
                        .rank("shape", 1)
                        .sameQuantization("input", "output")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.intArray(SHAPE);
        int stretched = -1;
        long known = 1;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] == -1) {
                operation.require(stretched < 0, "shape", "-1 at " + stretched + " and " + i, "at most one -1");
                stretched = i;
            } else {
                operation.require(dims[i] > 0, "shape[" + i + "]", dims[i], "> 0 or -1");
                known *= dims[i];
                operation.require(
                        known <= operation.count(INPUT),
                        "elements of the shape",
                        known,
                        "as the input, " + operation.count(INPUT));
            }
        }
        if (stretched >= 0) {
            operation.require(
                    operation.count(INPUT) % known == 0, "elements", operation.count(INPUT), "a multiple of " + known);
            dims[stretched] = (int) (operation.count(INPUT) / known);
            known *= dims[stretched];
        }
        operation.require(
                known == operation.count(INPUT),
                "elements of the shape",
                known,
                "as the input, " + operation.count(INPUT));
        operation.setOutput(OUT, dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        operation.copy(INPUT, OUT);
    }
}
