package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/** One step of a basic recurrent layer over a batch; see {@link RnnCell}. */
final class Rnn extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int WEIGHTS = 1;
    private static final int HIDDEN_STATE = 4;
    private static final int ACTIVATION = 5;

    private static final int HIDDEN_STATE_OUT = 0;
    private static final int OUT = 1;

    Rnn() {
        super(OperationType.RNN, Signatures.builder()
                .row(V1_0, join(times(5, TENSOR_FLOAT32), INT32), times(2, TENSOR_FLOAT32))
                .row(V1_2, join(times(5, TENSOR_FLOAT16), INT32), times(2, TENSOR_FLOAT16))
                .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(INPUT, 2);
        operation.requireRank(HIDDEN_STATE, 2);
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 2);
        RnnCell.check(operation, WEIGHTS, HIDDEN_STATE, operation.dim(INPUT, 0), operation.dim(INPUT, 1));
        RecurrentActivation.of(operation, ACTIVATION);
        operation.setOutput(HIDDEN_STATE_OUT, operation.dims(HIDDEN_STATE));
        operation.setOutput(OUT, operation.dims(HIDDEN_STATE));
    }

    @Override
    public void execute(ExecutionContext operation) {
        RnnCell cell = new RnnCell(operation, WEIGHTS, -1, RecurrentActivation.of(operation, ACTIVATION));
        float[] x = Reals.read(operation, INPUT);
        float[] h = Reals.read(operation, HIDDEN_STATE);
        for (int b = 0; b < operation.dim(INPUT, 0); b++) {
            cell.step(x, b * operation.dim(INPUT, 1), null, 0, h, b * cell.units());
        }
        Reals.write(operation, HIDDEN_STATE_OUT, h);
        Reals.write(operation, OUT, h);
    }
}
