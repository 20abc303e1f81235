package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/** A basic recurrent layer over a sequence; see {@link RnnCell}. From 1.3 on the last state may be an output too. */
final class UnidirectionalSequenceRnn extends OperationDefinition {
    private static final OperandNames INPUTS =
            OperandNames.of("input", "weights", "recurrentWeights", "bias", "hiddenState", "activation", "timeMajor");
    private static final OperandNames OUTPUTS = OperandNames.of("output", "hiddenState");
    private static final int INPUT = INPUTS.at("input");
    private static final int WEIGHTS = INPUTS.at("weights");
    private static final int HIDDEN_STATE = INPUTS.at("hiddenState");
    private static final int ACTIVATION = INPUTS.at("activation");
    private static final int TIME_MAJOR = INPUTS.at("timeMajor");

    private static final int OUT = OUTPUTS.at("output");
    private static final int HIDDEN_STATE_OUT = OUTPUTS.at("hiddenState");

    UnidirectionalSequenceRnn() {
        super(
                OperationType.UNIDIRECTIONAL_SEQUENCE_RNN,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_2, join(times(5, TENSOR_FLOAT32), INT32, INT32), times(1, TENSOR_FLOAT32))
                        .row(V1_2, join(times(5, TENSOR_FLOAT16), INT32, INT32), times(1, TENSOR_FLOAT16))
                        .row(V1_3, join(times(5, TENSOR_FLOAT32), INT32, INT32), times(2, TENSOR_FLOAT32))
                        .row(V1_3, join(times(5, TENSOR_FLOAT16), INT32, INT32), times(2, TENSOR_FLOAT16))
                        .rank("input", 3)
                        .rank("hiddenState", 2)
                        .range("timeMajor", 0, 1)
                        .build());
    }

    private static SequenceLayout sequence(OperationContext operation) {
        return SequenceLayout.of(operation, INPUT, operation.intValue(TIME_MAJOR) == 1);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        SequenceLayout sequence = sequence(operation);
        RnnCell.check(operation, WEIGHTS, HIDDEN_STATE, sequence.batches(), sequence.features());
        RecurrentActivation.of(operation, ACTIVATION);
        operation.setOutput(OUT, sequence.with(operation.dim(WEIGHTS, 0)).dims());
        if (operation.outputCount() > 1) {
            operation.setOutput(HIDDEN_STATE_OUT, operation.dims(HIDDEN_STATE));
        }
    }

    @Override
    public void execute(ExecutionContext operation) {
        SequenceLayout sequence = sequence(operation);
        RnnCell cell = new RnnCell(operation, WEIGHTS, -1, RecurrentActivation.of(operation, ACTIVATION));
        SequenceLayout results = sequence.with(cell.units());
        float[] x = Reals.read(operation, INPUT);
        float[] h = Reals.read(operation, HIDDEN_STATE);
        float[] out = new float[operation.outCount(OUT)];
        for (int t = 0; t < sequence.steps(); t++) {
            for (int b = 0; b < sequence.batches(); b++) {
                cell.step(x, sequence.index(t, b), null, 0, h, b * cell.units());
                System.arraycopy(h, b * cell.units(), out, results.index(t, b), cell.units());
            }
        }
        Reals.write(operation, OUT, out);
        if (operation.outputCount() > 1) {
            Reals.write(operation, HIDDEN_STATE_OUT, h);
        }
    }
}
