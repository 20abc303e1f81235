package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code x} where it is positive, else {@code alpha * (exp(x) - 1)}. */
final class Elu extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int ALPHA = 1;
    private static final int OUT = 0;

    Elu() {
        super(OperationType.ELU, Signatures.builder()
                .row(V1_3, in(TENSOR_FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                .row(V1_3, in(TENSOR_FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                .zeroSizedInputs()
                .build());
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.setOutput(OUT, operation.dims(INPUT));
    }

    @Override
    public void execute(ExecutionContext operation) {
        FloatView input = operation.floats(INPUT);
        FloatView out = operation.outFloats(OUT);
        double alpha = operation.floatValue(ALPHA);
        for (int i = 0; i < operation.outCount(OUT); i++) {
            float x = input.get(i);
            out.set(i, x < 0 ? (float) (alpha * StrictMath.expm1(x)) : x);
        }
    }
}
