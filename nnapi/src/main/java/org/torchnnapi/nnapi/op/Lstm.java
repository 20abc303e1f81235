package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * One step of an LSTM layer over a batch; see {@link LstmCell}. Input {@code [batch, inputs]}, output {@code [batch,
 * outputs]}.
 */
final class Lstm extends OperationDefinition {
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
            "normalizationWeights[4]");
    private static final OperandNames OUTPUTS = OperandNames.of("scratch", "outputState", "cellState", "output");
    private static final int INPUT = INPUTS.at("input");
    private static final int OUTPUT_STATE = INPUTS.at("outputState");
    private static final int CELL_STATE = INPUTS.at("cellState");
    private static final int ACTIVATION = INPUTS.at("activation");

    private static final int SCRATCH = OUTPUTS.at("scratch");
    private static final int OUTPUT_STATE_OUT = OUTPUTS.at("outputState");
    private static final int CELL_STATE_OUT = OUTPUTS.at("cellState");
    private static final int OUT = OUTPUTS.at("output");

    private static final LstmOperands CELL = LstmOperands.of(INPUTS, "");

    Lstm() {
        super(
                OperationType.LSTM,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_0, join(times(20, TENSOR_FLOAT32), INT32, FLOAT32, FLOAT32), times(4, TENSOR_FLOAT32))
                        .tail(V1_0)
                        .tail(V1_2, times(4, TENSOR_FLOAT32))
                        .and()
                        .row(V1_2, join(times(20, TENSOR_FLOAT16), INT32, FLOAT16, FLOAT16), times(4, TENSOR_FLOAT16))
                        .tail(V1_2)
                        .tail(V1_2, times(4, TENSOR_FLOAT16))
                        .optional(
                                "inputWeights[0]",
                                "recurrentWeights[0]",
                                "peepholeWeights",
                                "bias[0]",
                                "projectionWeights",
                                "projectionBias",
                                "normalizationWeights")
                        .rank("input", 2)
                        .rank("outputState", 2)
                        .rank("cellState", 2)
                        .build());
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        int batches = operation.dim(INPUT, 0);
        LstmCell.check(operation, CELL, batches, operation.dim(INPUT, 1), 0);
        RecurrentActivation.of(operation, ACTIVATION);
        int units = LstmCell.units(operation, CELL);
        int outputs = LstmCell.outputs(operation, CELL);
        operation.setOutput(SCRATCH, batches, units * (LstmCell.isCoupled(operation, CELL) ? 3 : 4));
        operation.setOutput(OUTPUT_STATE_OUT, batches, outputs);
        operation.setOutput(CELL_STATE_OUT, batches, units);
        operation.setOutput(OUT, batches, outputs);
    }

    @Override
    public void execute(ExecutionContext operation) {
        int inputs = operation.dim(INPUT, 1);
        float[] x = Reals.read(operation, INPUT);
        float[] h = Reals.read(operation, OUTPUT_STATE);
        float[] c = Reals.read(operation, CELL_STATE);
        LstmCell cell = LstmCell.of(operation, CELL, inputs, 0, ACTIVATION);
        for (int b = 0; b < operation.dim(INPUT, 0); b++) {
            cell.step(
                    x, b * inputs, null, 0, h, b * operation.dim(OUTPUT_STATE, 1), c, b * operation.dim(CELL_STATE, 1));
        }
        Reals.write(operation, SCRATCH, new float[operation.outCount(SCRATCH)]);
        Reals.write(operation, OUTPUT_STATE_OUT, h);
        Reals.write(operation, CELL_STATE_OUT, c);
        Reals.write(operation, OUT, h);
    }
}
