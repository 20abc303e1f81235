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
    private static final int INPUT = 0;
    private static final int AXES = 1;
    private static final int OUT = 0;

    Squeeze() {
        super(OperationType.SQUEEZE, Signatures.builder()
                .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                .rows(V1_2, 1, TENSOR_FLOAT16)
                .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                .tail(V1_1, TENSOR_INT32)
                .optional(AXES)
                .zeroSizedInputs()
                .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(INPUT, 1, 4);
        operation.requireRank(AXES, 1);
        operation.requireSameQuantization(INPUT, OUT);
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 1, 4);
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
        int[] rest = IntStream.range(0, dims.length).filter(i -> named ? !gone[i] : dims[i] != 1).map(i -> dims[i]).toArray();
        operation.setOutput(OUT, rest.length == 0 ? new int[] {1} : rest);
    }

    @Override
    public void execute(ExecutionContext operation) {
        operation.copy(INPUT, OUT);
    }
}
