package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** A tensor repeated along each axis. */
final class Tile extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "multiples");
    private static final int INPUT = INPUTS.at("input");
    private static final int MULTIPLES = INPUTS.at("multiples");

    Tile() {
        super(
                OperationType.TILE,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_2, TENSOR_INT32)
                        .rank("multiples", 1)
                        .sameQuantization("input", "output")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT).clone();
        operation.requireDims(MULTIPLES, dims.length);
        int[] multiples = operation.intArray(MULTIPLES);
        for (int i = 0; i < dims.length; i++) {
            operation.require(
                    multiples[i] >= 0 && (long) dims[i] * multiples[i] <= Integer.MAX_VALUE,
                    "multiple of axis " + i,
                    multiples[i],
                    ">= 0 and a tiled size of 32 bits");
            dims[i] *= multiples[i];
        }
        operation.setOutput(OUT, dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int[] strides = Dims.strides(dims);
        int[] outDims = operation.outDims(OUT);
        int[] position = new int[outDims.length];
        for (int i = 0; i < operation.outCount(OUT); i++) {
            int from = 0;
            for (int j = 0; j < dims.length; j++) {
                from += position[j] % dims[j] * strides[j];
            }
            operation.outInts(OUT).set(i, operation.ints(INPUT).get(from));
            Dims.next(position, outDims);
        }
    }
}
