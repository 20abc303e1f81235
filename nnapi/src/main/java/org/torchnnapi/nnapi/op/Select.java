package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_BOOL8;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** Elements of the first tensor where the condition is true, else of the second; all of one shape. */
final class Select extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("condition", "a", "b");
    private static final int CONDITION = INPUTS.at("condition");
    private static final int A = INPUTS.at("a");
    private static final int B = INPUTS.at("b");

    Select() {
        super(
                OperationType.SELECT,
                Signatures.builder(INPUTS)
                        .row(V1_2, in(TENSOR_BOOL8, TENSOR_FLOAT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_BOOL8, TENSOR_FLOAT16, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_BOOL8, TENSOR_INT32, TENSOR_INT32), out(TENSOR_INT32))
                        .row(V1_2, in(TENSOR_BOOL8, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM), out(TENSOR_QUANT8_ASYMM))
                        .row(
                                V1_3,
                                in(TENSOR_BOOL8, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_ASYMM_SIGNED),
                                out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .zeroSizedInputs()
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.requireDims(A, operation.dims(CONDITION));
        operation.requireDims(B, operation.dims(CONDITION));
        operation.setOutput(OUT, operation.dims(CONDITION));
    }

    @Override
    public void execute(ExecutionContext operation) {
        IntView condition = operation.ints(CONDITION);
        boolean integers = operation.type(A) == TENSOR_INT32;
        for (int i = 0; i < operation.outCount(OUT); i++) {
            int chosen = condition.get(i) != 0 ? A : B;
            if (integers) {
                operation.outInts(OUT).set(i, operation.ints(chosen).get(i));
            } else {
                operation.outFloats(OUT).set(i, operation.floats(chosen).get(i));
            }
        }
    }
}
