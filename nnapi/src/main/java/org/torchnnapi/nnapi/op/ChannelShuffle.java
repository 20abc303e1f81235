package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** An axis of {@code groups x n} channels put in the order of {@code n x groups}. */
final class ChannelShuffle extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "groups", "axis");
    private static final int INPUT = INPUTS.at("input");
    private static final int GROUPS = INPUTS.at("groups");
    private static final int AXIS = INPUTS.at("axis");

    ChannelShuffle() {
        super(
                OperationType.CHANNEL_SHUFFLE,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_2, INT32, INT32)
                        .rank("input", 1, 4)
                        .range("groups", 1, Integer.MAX_VALUE)
                        .sameQuantization("input", "output")
                        .axis("axis", "input")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int axis = operation.axis(operation.intValue(AXIS), operation.rank(INPUT));
        int groups = operation.intValue(GROUPS);
        operation.require(
                operation.dim(INPUT, axis) % groups == 0,
                "size of axis " + axis,
                operation.dim(INPUT, axis),
                "a multiple of " + groups);
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS), dims.length);
        int groups = operation.intValue(GROUPS);
        int inner = Dims.product(dims, axis + 1, dims.length);
        int size = dims[axis];
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        for (int i = 0; i < operation.outCount(OUT); i++) {
            int channel = i / inner % size;
            int from = channel % groups * (size / groups) + channel / groups;
            out.set(i, input.get(i + (from - channel) * inner));
        }
    }
}
