package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * The axes in another order: axis {@code i} of the output is axis {@code perm[i]} of the input; reversed where perm is
 * left out.
 */
final class Transpose extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "perm");
    private static final int INPUT = INPUTS.at("input");
    private static final int PERM = INPUTS.at("perm");

    Transpose() {
        super(
                OperationType.TRANSPOSE,
                Signatures.builder(INPUTS)
                        .rows(V1_1, 1, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_2, 1, TENSOR_FLOAT16)
                        .rows(V1_3, 1, TENSOR_QUANT8_ASYMM_SIGNED)
                        .tail(V1_1, TENSOR_INT32)
                        .optional("perm")
                        .zeroSizedInputs()
                        .rank("input", 1, 4)
                        .rank("perm", 1)
                        .sameQuantization("input", "output")
                        .build());
    }

    private static int[] permutation(OperationContext operation) {
        int rank = operation.rank(INPUT);
        if (!operation.has(PERM)) {
            return IntStream.range(0, rank).map(i -> rank - 1 - i).toArray();
        }
        operation.requireDims(PERM, rank);
        int[] perm = operation.intArray(PERM);
        boolean[] seen = new boolean[rank];
        for (int axis : perm) {
            operation.require(
                    axis >= 0 && axis < rank && !seen[axis],
                    "perm",
                    Arrays.toString(perm),
                    "each of 0 to " + (rank - 1) + " once");
            seen[axis] = true;
        }
        return perm;
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT);
        operation.setOutput(
                OUT,
                Arrays.stream(permutation(operation)).map(axis -> dims[axis]).toArray());
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] own = Dims.strides(operation.dims(INPUT));
        int[] strides =
                Arrays.stream(permutation(operation)).map(axis -> own[axis]).toArray();
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        int[] position = new int[strides.length];
        for (int i = 0; i < operation.outCount(OUT); i++) {
            out.set(i, input.get(Dims.offset(position, strides)));
            Dims.next(position, operation.outDims(OUT));
        }
    }
}
