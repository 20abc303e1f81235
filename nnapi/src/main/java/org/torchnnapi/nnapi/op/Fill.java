package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** A tensor of a given shape, each element the same scalar. */
final class Fill extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("shape", "value");
    private static final int SHAPE = INPUTS.at("shape");
    private static final int VALUE = INPUTS.at("value");

    Fill() {
        super(
                OperationType.FILL,
                Signatures.builder(INPUTS)
                        .row(V1_3, in(TENSOR_INT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_3, in(TENSOR_INT32, FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_3, in(TENSOR_INT32, INT32), out(TENSOR_INT32))
                        .rank("shape", 1)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int[] shape = operation.intArray(SHAPE);
        for (int i = 0; i < shape.length; i++) {
            operation.require(shape[i] >= 0, "shape[" + i + "]", shape[i], ">= 0");
        }
        operation.setOutput(OUT, shape);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int value = operation.ints(VALUE).get(0);
        for (int i = 0; i < operation.outCount(OUT); i++) {
            operation.outInts(OUT).set(i, value);
        }
    }
}
