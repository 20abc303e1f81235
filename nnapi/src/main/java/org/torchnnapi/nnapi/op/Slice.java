package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** A box of a tensor: from begin on, size elements along each axis; a size of -1 takes all the rest. */
final class Slice extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "begin", "size");
    private static final int INPUT = INPUTS.at("input");
    private static final int BEGIN = INPUTS.at("begin");
    private static final int SIZE = INPUTS.at("size");

    Slice() {
        super(
                OperationType.SLICE,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_2, TENSOR_INT32, TENSOR_INT32)
                        .zeroSizedInputs()
                        .rank("begin", 1)
                        .rank("size", 1)
                        .sameQuantization("input", "output")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT).clone();
        operation.requireDims(BEGIN, dims.length);
        operation.requireDims(SIZE, dims.length);
        int[] begin = operation.intArray(BEGIN);
        int[] size = operation.intArray(SIZE);
        for (int i = 0; i < dims.length; i++) {
            operation.require(begin[i] >= 0 && begin[i] <= dims[i], "begin[" + i + "]", begin[i], "0 to " + dims[i]);
            int rest = dims[i] - begin[i];
            operation.require(size[i] >= -1 && size[i] <= rest, "size[" + i + "]", size[i], "-1 to " + rest);
            dims[i] = size[i] < 0 ? rest : size[i];
        }
        operation.setOutput(OUT, dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] strides = Dims.strides(operation.dims(INPUT));
        int origin = Dims.offset(operation.intArray(BEGIN), strides);
        int[] dims = operation.outDims(OUT);
        int[] position = new int[dims.length];
        for (int i = 0; i < operation.outCount(OUT); i++) {
            operation.outInts(OUT).set(i, operation.ints(INPUT).get(origin + Dims.offset(position, strides)));
            Dims.next(position, dims);
        }
    }
}
