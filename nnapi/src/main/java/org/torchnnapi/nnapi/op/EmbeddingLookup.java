package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** The slices of the values at the given indexes. */
final class EmbeddingLookup extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("lookups", "values");
    private static final int LOOKUPS = INPUTS.at("lookups");
    private static final int VALUES = INPUTS.at("values");

    EmbeddingLookup() {
        super(
                OperationType.EMBEDDING_LOOKUP,
                Signatures.builder(INPUTS)
                        .row(V1_0, in(TENSOR_INT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_INT32, TENSOR_INT32), out(TENSOR_INT32))
                        .row(V1_2, in(TENSOR_INT32, TENSOR_QUANT8_ASYMM), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_3, in(TENSOR_INT32, TENSOR_QUANT8_ASYMM_SIGNED), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .row(V1_3, in(TENSOR_INT32, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
                        .rank("lookups", 1)
                        .rank("values", 2, Integer.MAX_VALUE)
                        .sameQuantization("values", "output")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(VALUES).clone();
        dims[0] = operation.dim(LOOKUPS, 0);
        operation.setOutput(OUT, dims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] lookups = operation.intArray(LOOKUPS);
        IntView values = operation.ints(VALUES);
        IntView out = operation.outInts(OUT);
        int rows = operation.dim(VALUES, 0);
        int slice = Dims.product(operation.dims(VALUES), 1, operation.rank(VALUES));
        for (int i = 0; i < lookups.length; i++) {
            operation.require(lookups[i] >= 0 && lookups[i] < rows, "lookup", lookups[i], "0 to " + (rows - 1));
            for (int j = 0; j < slice; j++) {
                out.set(i * slice + j, values.get(lookups[i] * slice + j));
            }
        }
    }
}
