package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperationType;

/** A tensor with a given value around it; for quantized tensors the value is a stored element. */
final class PadV2 extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input", "paddings", "value");
    private static final int INPUT = INPUTS.at("input");
    private static final int PADDINGS = INPUTS.at("paddings");
    private static final int VALUE = INPUTS.at("value");

    PadV2() {
        super(
                OperationType.PAD_V2,
                Signatures.builder(INPUTS)
                        .row(V1_2, in(TENSOR_FLOAT32, TENSOR_INT32, FLOAT32), out(TENSOR_FLOAT32))
                        .row(V1_2, in(TENSOR_FLOAT16, TENSOR_INT32, FLOAT16), out(TENSOR_FLOAT16))
                        .row(V1_2, in(TENSOR_QUANT8_ASYMM, TENSOR_INT32, INT32), out(TENSOR_QUANT8_ASYMM))
                        .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32, INT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                        .sameQuantization("input", "output")
                        .rank("input", 1, 4)
                        .rankInTheEnd("paddings", 2)
                        .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        if (operation.type(VALUE) == INT32) {
            operation.requireInt(
                    VALUE,
                    operation.type(INPUT).element().min(),
                    operation.type(INPUT).element().max());
        }
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, Padding.shape(operation, INPUT, PADDINGS));
    }

    @Override
    public void execute(ExecutionContext operation) {
        int value = operation.ints(VALUE).get(0);
        if (operation.type(VALUE) == INT32) {
            int low = operation.type(INPUT).element().min();
            int high = operation.type(INPUT).element().max();
            operation.require(value >= low && value <= high, "padding value", value, low + " to " + high);
        }
        Padding.execute(operation, INPUT, PADDINGS, OUT, value);
    }
}
