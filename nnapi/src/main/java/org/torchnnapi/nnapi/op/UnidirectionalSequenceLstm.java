package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** An LSTM layer over a sequence of batches; see {@link LstmCell}. From 1.3 on the last states may be outputs too. */
final class UnidirectionalSequenceLstm extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "input",
            "inputWeights[4]",
            "recurrentWeights[4]",
            "peepholeWeights[3]",
            "bias[4]",
            "projectionWeights",
            "projectionBias",
            "outputState",
            "cellState",
            "activation",
            "cellClip",
            "projectionClip",
            "timeMajor",
            "normalizationWeights[4]");
    private static final OperandNames OUTPUTS = OperandNames.of("output", "outputState", "cellState");
    private static final int INPUT = INPUTS.at("input");
    private static final int OUTPUT_STATE = INPUTS.at("outputState");
    private static final int CELL_STATE = INPUTS.at("cellState");
    private static final int ACTIVATION = INPUTS.at("activation");
    private static final int TIME_MAJOR = INPUTS.at("timeMajor");

    private static final int OUT = OUTPUTS.at("output");
    private static final int OUTPUT_STATE_OUT = OUTPUTS.at("outputState");
    private static final int CELL_STATE_OUT = OUTPUTS.at("cellState");

    private static final LstmOperands CELL = LstmOperands.of(INPUTS, "");

    UnidirectionalSequenceLstm() {
        super(
                OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_2, inputs(TENSOR_FLOAT32, FLOAT32), times(1, TENSOR_FLOAT32))
                        .row(V1_2, inputs(TENSOR_FLOAT16, FLOAT16), times(1, TENSOR_FLOAT16))
                        .row(V1_3, inputs(TENSOR_FLOAT32, FLOAT32), times(3, TENSOR_FLOAT32))
                        .row(V1_3, inputs(TENSOR_FLOAT16, FLOAT16), times(3, TENSOR_FLOAT16))
                        .optional(
                                "inputWeights[0]",
                                "recurrentWeights[0]",
                                "peepholeWeights",
                                "bias[0]",
                                "projectionWeights",
                                "projectionBias",
                                "normalizationWeights")
                        .rank("input", 3)
                        .rank("outputState", 2)
                        .rank("cellState", 2)
                        .build());
    }

    private static OperandType[] inputs(OperandType tensor, OperandType scalar) {
        return join(join(times(20, tensor), INT32, scalar, scalar, BOOL), times(4, tensor));
    }

    private static SequenceLayout sequence(OperationContext operation) {
        return SequenceLayout.of(operation, INPUT, operation.bool(TIME_MAJOR));
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        SequenceLayout sequence = sequence(operation);
        LstmCell.check(operation, CELL, sequence.batches(), sequence.features(), 0);
        RecurrentActivation.of(operation, ACTIVATION);
        operation.setOutput(
                OUT, sequence.with(LstmCell.outputs(operation, CELL)).dims());
        if (operation.outputCount() > 1) {
            operation.setOutput(OUTPUT_STATE_OUT, operation.dims(OUTPUT_STATE));
            operation.setOutput(CELL_STATE_OUT, operation.dims(CELL_STATE));
        }
    }

    @Override
    public void execute(ExecutionContext operation) {
        SequenceLayout sequence = sequence(operation);
        int outputs = LstmCell.outputs(operation, CELL);
        int units = LstmCell.units(operation, CELL);
        SequenceLayout results = sequence.with(outputs);
        float[] x = Reals.read(operation, INPUT);
        float[] h = Reals.read(operation, OUTPUT_STATE);
        float[] c = Reals.read(operation, CELL_STATE);
        float[] out = new float[operation.outCount(OUT)];
        LstmCell cell = LstmCell.of(operation, CELL, sequence.features(), 0, ACTIVATION);
        for (int t = 0; t < sequence.steps(); t++) {
            for (int b = 0; b < sequence.batches(); b++) {
                cell.step(x, sequence.index(t, b), null, 0, h, b * outputs, c, b * units);
                System.arraycopy(h, b * outputs, out, results.index(t, b), outputs);
            }
        }
        Reals.write(operation, OUT, out);
        if (operation.outputCount() > 1) {
            Reals.write(operation, OUTPUT_STATE_OUT, h);
            Reals.write(operation, CELL_STATE_OUT, c);
        }
    }
}
