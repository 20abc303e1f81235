package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * The k largest entries of the last dimension, largest first, and their indexes; of equal entries the lower index comes
 * first.
 */
final class TopKV2 extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "k");
    private static final OperandNames OUTPUTS = OperandNames.of("values", "indices");
    private static final int INPUT = INPUTS.at("input");
    private static final int K = INPUTS.at("k");
    private static final int VALUES = OUTPUTS.at("values");
    private static final int INDICES = OUTPUTS.at("indices");

    TopKV2() {
        super(
                OperationType.TOPK_V2,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_2, in(TENSOR_FLOAT32), out(TENSOR_FLOAT32, TENSOR_INT32))
                        .row(V1_2, in(TENSOR_FLOAT16), out(TENSOR_FLOAT16, TENSOR_INT32))
                        .row(V1_2, in(TENSOR_INT32), out(TENSOR_INT32, TENSOR_INT32))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM), out(TENSOR_QUANT8_ASYMM, TENSOR_INT32))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED), out(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32))
                        .tail(V1_2, INT32)
                        .range("k", 1, Integer.MAX_VALUE)
                        .sameQuantization("input", "values")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT).clone();
        operation.require(dims.length >= 1, "rank of input 0", dims.length, ">= 1");
        int k = operation.intValue(K);
        operation.require(k >= 1 && k <= dims[dims.length - 1], "k", k, "1 to " + dims[dims.length - 1]);
        dims[dims.length - 1] = k;
        operation.setOutput(VALUES, dims);
        operation.setOutput(INDICES, dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int size = dims[dims.length - 1];
        int k = operation.intValue(K);
        OperandType type = operation.type(INPUT);
        IntView input = operation.ints(INPUT);
        FloatView reals = type.isFloat() ? operation.floats(INPUT) : null;
        IntView values = operation.outInts(VALUES);
        IntView indices = operation.outInts(INDICES);
        Integer[] order = new Integer[size];
        for (int row = 0; row < operation.count(INPUT) / size; row++) {
            int base = row * size;
            Arrays.setAll(order, i -> i);
            Arrays.sort(
                    order,
                    (i, j) -> reals != null
                            ? Float.compare(reals.get(base + j), reals.get(base + i))
                            : Integer.compare(input.get(base + j), input.get(base + i)));
            for (int i = 0; i < k; i++) {
                values.set(row * k + i, input.get(base + order[i]));
                indices.set(row * k + i, order[i]);
            }
        }
    }
}
