package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.model.OperationType;

/** Slices along one axis, picked by a tensor of indices whose shape takes the axis' place. */
final class Gather extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "axis", "indices");
    private static final int INPUT = INPUTS.at("input");
    private static final int AXIS = INPUTS.at("axis");
    private static final int INDICES = INPUTS.at("indices");

    Gather() {
        super(
                OperationType.GATHER,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_2, INT32, TENSOR_INT32)
                        .sameQuantization("input", "output")
                        .axis("axis", "input")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS), dims.length);
        operation.setOutput(
                OUT,
                IntStream.concat(
                                IntStream.concat(Arrays.stream(dims, 0, axis), Arrays.stream(operation.dims(INDICES))),
                                Arrays.stream(dims, axis + 1, dims.length))
                        .toArray());
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS), dims.length);
        int inner = Dims.product(dims, axis + 1, dims.length);
        int outer = Dims.product(dims, 0, axis);
        int[] indices = operation.intArray(INDICES);
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        int to = 0;
        for (int i = 0; i < outer; i++) {
            for (int index : indices) {
                operation.require(index >= 0 && index < dims[axis], "index", index, "0 to " + (dims[axis] - 1));
                for (int j = 0; j < inner; j++) {
                    out.set(to++, input.get((i * dims[axis] + index) * inner + j));
                }
            }
        }
    }
}
