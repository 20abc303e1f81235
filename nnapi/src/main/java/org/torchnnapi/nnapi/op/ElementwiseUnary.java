package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;

import java.util.function.IntUnaryOperator;
import org.torchnnapi.nnapi.model.OperationType;

/** An operation on each element of one tensor by itself, computed in double and rounded once. */
abstract class ElementwiseUnary extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input");
    static final int INPUT = INPUTS.at("input");

    /** Signatures with what all operations of the family demand. */
    static Signatures.Builder described() {
        return Signatures.builder(INPUTS);
    }

    ElementwiseUnary(OperationType type, Signatures signatures) {
        super(type, signatures);
    }

    /** The signatures of the functions that came with 1.2: float tensors of either width. */
    static Signatures floatsSince12() {
        return Signatures.builder(INPUTS)
                .rows(V1_2, 1, TENSOR_FLOAT32, TENSOR_FLOAT16)
                .build();
    }

    /** The function, on real numbers. */
    abstract double apply(double x);

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        for (int i = 0; i < operation.outCount(OUT); i++) {
            out.set(i, (float) apply(input.get(i)));
        }
    }

    /** The same on stored integers, for operations that also take TENSOR_INT32 or TENSOR_BOOL8. */
    static void executeInts(ExecutionContext operation, IntUnaryOperator function) {
        IntView input = operation.ints(INPUT);
        IntView out = operation.outInts(OUT);
        for (int i = 0; i < operation.outCount(OUT); i++) {
            out.set(i, function.applyAsInt(input.get(i)));
        }
    }
}
