package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import java.util.stream.IntStream;
import org.torchnnapi.nnapi.model.OperationType;

/** The same elements without some axes of size 1: those named, or all where none are. */
final class Squeeze extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "axes");
    private static final int INPUT = INPUTS.at("input");
    private static final int AXES = INPUTS.at("axes");

    Squeeze() {
        super(
                OperationType.SQUEEZE,
                Signatures.builder(INPUTS)
                        .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, TENSOR_INT32)
                        .optional("axes")
                        .zeroSizedInputs()
                        .rank("input", 1, 4)
                        .rank("axes", 1)
                        .sameQuantization("input", "output")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT);
        boolean[] gone = new boolean[dims.length];
        boolean named = operation.has(AXES) && operation.count(AXES) > 0;
        if (named) {
            for (int given : operation.intArray(AXES)) {
                int axis = operation.axis(given, dims.length);
                operation.require(dims[axis] == 1, "size of axis " + given, dims[axis], "1");
                gone[axis] = true;
            }
        }
        int[] rest = IntStream.range(0, dims.length)
                .filter(i -> named ? !gone[i] : dims[i] != 1)
                .map(i -> dims[i])
                .toArray();
        operation.setOutput(OUT, rest.length == 0 ? new int[] {1} : rest);
    }

    @Override
    public void execute(ExecutionContext operation) {
        operation.copy(INPUT, OUT);
    }
}
