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
    private static final OperandNames INPUTS = OperandNames.of("input", "alpha");
    private static final int INPUT = INPUTS.at("input");
    private static final int ALPHA = INPUTS.at("alpha");

    Elu() {
        super(
                OperationType.ELU,
                Signatures.builder(INPUTS)
                        .row(V1_3, in(TENSOR_FLOAT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_3, in(TENSOR_FLOAT16, FLOAT16), out(TENSOR_FLOAT16))
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
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
