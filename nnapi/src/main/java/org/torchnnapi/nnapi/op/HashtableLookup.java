package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * For each lookup the slice of the values at the position its key has; zeros, and no hit, where there is no such key.
 */
final class HashtableLookup extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("lookups", "keys", "values");
    private static final OperandNames OUTPUTS = OperandNames.of("output", "hits");
    private static final int LOOKUPS = INPUTS.at("lookups");
    private static final int KEYS = INPUTS.at("keys");
    private static final int VALUES = INPUTS.at("values");
    private static final int OUT = OUTPUTS.at("output");
    private static final int HITS = OUTPUTS.at("hits");

    HashtableLookup() {
        super(
                OperationType.HASHTABLE_LOOKUP,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(
                                V1_0,
                                in(TENSOR_INT32, TENSOR_INT32, TENSOR_FLOAT32),
                                out(TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM))
                        .row(V1_0, in(TENSOR_INT32, TENSOR_INT32, TENSOR_INT32), out(TENSOR_INT32, TENSOR_QUANT8_ASYMM))
                        .row(
                                V1_0,
                                in(TENSOR_INT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM),
                                out(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM))
                        .rank("lookups", 1)
                        .rank("keys", 1)
                        .rank("values", 1, Integer.MAX_VALUE)
                        .sameQuantization("values", "output")
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.require(
                operation.dim(KEYS, 0) == operation.dim(VALUES, 0),
                "keys",
                operation.dim(KEYS, 0),
                "one per value, " + operation.dim(VALUES, 0));
        int[] dims = operation.dims(VALUES).clone();
        dims[0] = operation.dim(LOOKUPS, 0);
        operation.setOutput(OUT, dims);
        operation.setOutput(HITS, dims[0]);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] lookups = operation.intArray(LOOKUPS);
        int[] keys = operation.intArray(KEYS);
        IntView values = operation.ints(VALUES);
        IntView out = operation.outInts(OUT);
        IntView hits = operation.outInts(HITS);
        int slice = Dims.product(operation.dims(VALUES), 1, operation.rank(VALUES));
        for (int i = 0; i < lookups.length; i++) {
            int found = keys.length - 1;
            while (found >= 0 && keys[found] != lookups[i]) {
                found--;
            }
            hits.set(i, found < 0 ? 0 : 1);
            for (int j = 0; j < slice; j++) {
                out.set(i * slice + j, found < 0 ? 0 : values.get(found * slice + j));
            }
        }
    }
}
