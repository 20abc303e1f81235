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
    private static final OperandNames INPUTS =
            OperandNames.of("input", "weights", "recurrentWeights", "bias", "hiddenState", "activation");
    private static final OperandNames OUTPUTS = OperandNames.of("hiddenState", "output");
    private static final int INPUT = INPUTS.at("input");
    private static final int WEIGHTS = INPUTS.at("weights");
    private static final int HIDDEN_STATE = INPUTS.at("hiddenState");
    private static final int ACTIVATION = INPUTS.at("activation");

    private static final int HIDDEN_STATE_OUT = OUTPUTS.at("hiddenState");
    private static final int OUT = OUTPUTS.at("output");

    Rnn() {
        super(
                OperationType.RNN,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_0, join(times(5, TENSOR_FLOAT32), INT32), times(2, TENSOR_FLOAT32))
                        .row(V1_2, join(times(5, TENSOR_FLOAT16), INT32), times(2, TENSOR_FLOAT16))
                        .rank("input", 2)
                        .rank("hiddenState", 2)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
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
