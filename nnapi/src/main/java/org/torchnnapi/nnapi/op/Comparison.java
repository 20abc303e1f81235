package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.out;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/** A comparison of two tensors that broadcast; quantized elements are compared as the real numbers they stand for. */
abstract class Comparison extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("a", "b");
    private static final int A = INPUTS.at("a");
    private static final int B = INPUTS.at("b");

    Comparison(OperationType type) {
        super(
                type,
                Signatures.builder(INPUTS)
                        .row(V1_2, times(2, TENSOR_FLOAT32), out(TENSOR_BOOL8))
                        .row(V1_2, times(2, TENSOR_FLOAT16), out(TENSOR_BOOL8))
                        .row(V1_2, times(2, TENSOR_INT32), out(TENSOR_BOOL8))
                        .row(V1_2, times(2, TENSOR_BOOL8), out(TENSOR_BOOL8))
                        .row(V1_2, times(2, TENSOR_QUANT8_ASYMM), out(TENSOR_BOOL8))
                        .row(V1_3, times(2, TENSOR_QUANT8_ASYMM_SIGNED), out(TENSOR_BOOL8))
                        .zeroSizedInputs()
                        .build());
    }

    /** Whether {@code a} and {@code b} stand in this relation. */
    abstract boolean holds(double a, double b);

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, A, B));
    }

    @Override
    public void execute(ExecutionContext operation) {
        if (operation.type(A) == TENSOR_INT32 || operation.type(A) == TENSOR_BOOL8) {
            Broadcast.ints(operation, A, B, OUT, (a, b) -> holds(a, b) ? 1 : 0);
            return;
        }
        FloatView a = operation.floats(A);
        FloatView b = operation.floats(B);
        IntView out = operation.outInts(OUT);
        Broadcast.forEach(
                operation.dims(A),
                operation.dims(B),
                operation.outDims(OUT),
                (i, j, k) -> out.set(i, holds(a.get(j), b.get(k)) ? 1 : 0));
    }
}
