package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import org.torchnnapi.nnapi.model.OperationType;

/** Element-wise sum of two tensors that broadcast, with a fused activation. */
final class Add extends OperationDefinition {
    private static final int A = 0;
    private static final int B = 1;
    private static final int ACTIVATION = 2;
    private static final int OUT = 0;

    Add() {
        super(OperationType.ADD, Signatures.builder()
                .rows(V1_0, 2, TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM)
                .rows(V1_2, 2, TENSOR_FLOAT16)
                .rows(V1_3, 2, TENSOR_INT32, TENSOR_QUANT8_ASYMM_SIGNED)
                .tail(V1_0, INT32)
                .zeroSizedInputs()
                .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(A, 1, 4);
        operation.requireRank(B, 1, 4);
        operation.requireInt(ACTIVATION, 0, operation.type(A) == TENSOR_INT32 ? 0 : 3);
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, A, B));
    }

    @Override
    public void execute(ExecutionContext operation) {
        FusedActivation activation = operation.activation(ACTIVATION);
        if (operation.type(A) == TENSOR_INT32) {
            IntView a = operation.ints(A);
            IntView b = operation.ints(B);
            IntView out = operation.outInts(OUT);
            Broadcast.forEach(operation.dims(A), operation.dims(B), operation.outDims(OUT),
                    (i, j, k) -> out.set(i, a.get(j) + b.get(k)));
            return;
        }
        FloatView a = operation.floats(A);
        FloatView b = operation.floats(B);
        FloatView out = operation.outFloats(OUT);
        Broadcast.forEach(operation.dims(A), operation.dims(B), operation.outDims(OUT),
                (i, j, k) -> out.set(i, activation.apply(a.get(j) + b.get(k))));
    }
}
