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

import java.util.stream.IntStream;
import org.torchnnapi.nnapi.model.OperationType;

/** The index of an extreme element along one axis, which goes away; the first of equal ones. */
abstract class ArgExtreme extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "axis");
    private static final int INPUT = INPUTS.at("input");
    private static final int AXIS = INPUTS.at("axis");

    ArgExtreme(OperationType type) {
        super(
                type,
                Signatures.builder(INPUTS)
                        .row(V1_2, in(TENSOR_FLOAT32), out(TENSOR_INT32))
                        .row(V1_2, in(TENSOR_FLOAT16), out(TENSOR_INT32))
                        .row(V1_2, in(TENSOR_INT32), out(TENSOR_INT32))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM), out(TENSOR_INT32))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED), out(TENSOR_INT32))
                        .tail(V1_2, INT32)
                        .axis("axis", "input")
                        .build());
    }

    /** Whether {@code candidate} goes before the best so far. */
    abstract boolean isBetter(double candidate, double best);

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS), dims.length);
        int[] rest = IntStream.range(0, dims.length)
                .filter(i -> i != axis)
                .map(i -> dims[i])
                .toArray();
        operation.setOutput(OUT, rest.length == 0 ? new int[] {1} : rest);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int[] dims = operation.dims(INPUT);
        int axis = operation.axis(operation.intValue(AXIS), dims.length);
        int inner = Dims.product(dims, axis + 1, dims.length);
        boolean reals = operation.type(INPUT).isFloat();
        for (int i = 0; i < operation.outCount(OUT); i++) {
            int base = i / inner * dims[axis] * inner + i % inner;
            int best = 0;
            double bestValue = value(operation, base, reals);
            for (int j = 1; j < dims[axis]; j++) {
                double candidate = value(operation, base + j * inner, reals);
                if (isBetter(candidate, bestValue)) {
                    best = j;
                    bestValue = candidate;
                }
            }
            operation.outInts(OUT).set(i, best);
        }
    }

    private static double value(ExecutionContext operation, int index, boolean reals) {
        return reals
                ? operation.floats(INPUT).get(index)
                : operation.ints(INPUT).get(index);
    }
}
