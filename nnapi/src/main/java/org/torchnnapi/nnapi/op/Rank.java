package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** The number of a tensor's axes. */
final class Rank extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of("input");
    private static final int INPUT = INPUTS.at("input");

    Rank() {
        super(OperationType.RANK, accepted());
    }

    private static Signatures accepted() {
        Signatures.Builder builder = Signatures.builder(INPUTS);
        for (OperandType type : OperandType.standard()) {
            if (type.isTensor()) {
                builder.row(V1_3, in(type), out(INT32));
            }
        }
        return builder.zeroSizedInputs().build();
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        operation.setOutput(OUT);
    }

    @Override
    public void execute(ExecutionContext operation) {
        operation.outInts(OUT).set(0, operation.rank(INPUT));
    }
}
