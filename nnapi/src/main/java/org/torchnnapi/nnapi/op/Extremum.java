package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;

import java.util.function.IntBinaryOperator;
import org.torchnnapi.nnapi.model.OperationType;

/** One of two elements, of two tensors that broadcast. */
abstract class Extremum extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("a", "b");
    private static final int A = INPUTS.at("a");
    private static final int B = INPUTS.at("b");

    private final IntBinaryOperator ofInts;
    private final Broadcast.RealFunction ofReals;

    Extremum(OperationType type, IntBinaryOperator ofInts, Broadcast.RealFunction ofReals) {
        super(
                type,
                Signatures.builder(INPUTS)
                        .rows(V1_2, 2, TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM)
                        .rows(V1_3, 2, TENSOR_QUANT8_ASYMM_SIGNED)
                        .zeroSizedInputs()
                        .build());
        this.ofInts = ofInts;
        this.ofReals = ofReals;
    }

    @Override
    protected final void inferShapes(OperationContext operation) {
        operation.setOutput(OUT, Broadcast.shape(operation, A, B));
    }

    @Override
    public final void execute(ExecutionContext operation) {
        if (operation.type(A) == TENSOR_INT32) {
            Broadcast.ints(operation, A, B, OUT, ofInts);
        } else {
            Broadcast.reals(operation, A, B, OUT, ofReals);
        }
    }
}
