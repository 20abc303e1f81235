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

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Two LSTM layers over a sequence, one forward and one backward in time; see {@link LstmCell}. Outputs are separate, or
 * merged along the features; from 1.3 on the four last states may follow. An auxiliary input goes into both layers
 * beside the input where auxiliary weights are given, and instead of the input into the backward layer where they are
 * not.
 */
final class BidirectionalSequenceLstm extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "input",
            "forwardInputWeights[4]",
            "forwardRecurrentWeights[4]",
            "forwardPeepholeWeights[3]",
            "forwardBias[4]",
            "forwardProjectionWeights",
            "forwardProjectionBias",
            "backwardInputWeights[4]",
            "backwardRecurrentWeights[4]",
            "backwardPeepholeWeights[3]",
            "backwardBias[4]",
            "backwardProjectionWeights",
            "backwardProjectionBias",
            "forwardOutputState",
            "forwardCellState",
            "backwardOutputState",
            "backwardCellState",
            "auxiliaryInput",
            "forwardAuxiliaryWeights[4]",
            "backwardAuxiliaryWeights[4]",
            "activation",
            "cellClip",
            "projectionClip",
            "mergeOutputs",
            "timeMajor",
            "forwardNormalizationWeights[4]",
            "backwardNormalizationWeights[4]");
    private static final OperandNames OUTPUTS = OperandNames.of("results[]");
    private static final int INPUT = INPUTS.at("input");
    private static final int FORWARD_STATE = INPUTS.at("forwardOutputState");
    private static final int AUXILIARY = INPUTS.at("auxiliaryInput");
    private static final int FORWARD_AUXILIARY_WEIGHTS = INPUTS.at("forwardAuxiliaryWeights");
    private static final int BACKWARD_AUXILIARY_WEIGHTS = INPUTS.at("backwardAuxiliaryWeights");
    private static final int ACTIVATION = INPUTS.at("activation");
    private static final int MERGE_OUTPUTS = INPUTS.at("mergeOutputs");
    private static final int TIME_MAJOR = INPUTS.at("timeMajor");

    private static final int OUTPUT_GATE = 3;
    private static final int STATES = 4;

    private static final LstmOperands FORWARD = LstmOperands.of(INPUTS, "forward");
    private static final LstmOperands BACKWARD = LstmOperands.of(INPUTS, "backward");

    BidirectionalSequenceLstm() {
        super(
                OperationType.BIDIRECTIONAL_SEQUENCE_LSTM,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_2, inputs(TENSOR_FLOAT32, FLOAT32), times(1, TENSOR_FLOAT32))
                        .row(V1_2, inputs(TENSOR_FLOAT32, FLOAT32), times(2, TENSOR_FLOAT32))
                        .row(V1_2, inputs(TENSOR_FLOAT16, FLOAT16), times(1, TENSOR_FLOAT16))
                        .row(V1_2, inputs(TENSOR_FLOAT16, FLOAT16), times(2, TENSOR_FLOAT16))
                        .row(V1_3, inputs(TENSOR_FLOAT32, FLOAT32), times(1 + STATES, TENSOR_FLOAT32))
                        .row(V1_3, inputs(TENSOR_FLOAT32, FLOAT32), times(2 + STATES, TENSOR_FLOAT32))
                        .row(V1_3, inputs(TENSOR_FLOAT16, FLOAT16), times(1 + STATES, TENSOR_FLOAT16))
                        .row(V1_3, inputs(TENSOR_FLOAT16, FLOAT16), times(2 + STATES, TENSOR_FLOAT16))
                        .optional(
                                "forwardInputWeights[0]",
                                "forwardRecurrentWeights[0]",
                                "forwardPeepholeWeights",
                                "forwardBias[0]",
                                "forwardProjectionWeights",
                                "forwardProjectionBias",
                                "forwardNormalizationWeights",
                                "backwardInputWeights[0]",
                                "backwardRecurrentWeights[0]",
                                "backwardPeepholeWeights",
                                "backwardBias[0]",
                                "backwardProjectionWeights",
                                "backwardProjectionBias",
                                "backwardNormalizationWeights",
                                "auxiliaryInput",
                                "forwardAuxiliaryWeights",
                                "backwardAuxiliaryWeights")
                        .rank("input", 3)
                        .rank("auxiliaryInput", 3)
                        .build());
    }

    private static OperandType[] inputs(OperandType tensor, OperandType scalar) {
        return join(join(times(48, tensor), INT32, scalar, scalar, BOOL, BOOL), times(8, tensor));
    }

    /** What the two layers read, and how. */
    private record Plan(SequenceLayout input, SequenceLayout auxiliary, boolean replacesBackwardInput, boolean merged) {
        static Plan of(OperationContext operation) {
            boolean timeMajor = operation.bool(TIME_MAJOR);
            SequenceLayout input = SequenceLayout.of(operation, INPUT, timeMajor);
            boolean weighted = operation.has(FORWARD_AUXILIARY_WEIGHTS + OUTPUT_GATE);
            boolean merged = operation.bool(MERGE_OUTPUTS);
            operation.require(
                    weighted == operation.has(BACKWARD_AUXILIARY_WEIGHTS + OUTPUT_GATE),
                    "auxiliary weights",
                    "given for one direction",
                    "both or none");
            operation.require(
                    operation.outputCount() % STATES == (merged ? 1 : 2),
                    "outputs",
                    operation.outputCount(),
                    merged ? "1 or 5 when merged" : "2 or 6 when not merged");
            if (!operation.has(AUXILIARY)) {
                operation.require(!weighted, "auxiliary weights", "given", "left out without an auxiliary input");
                return new Plan(input, null, false, merged);
            }
            SequenceLayout auxiliary = SequenceLayout.of(operation, AUXILIARY, timeMajor);
            operation.require(
                    auxiliary.steps() == input.steps() && auxiliary.batches() == input.batches(),
                    "auxiliary input",
                    Arrays.toString(operation.dims(AUXILIARY)),
                    "the time and batch of the input");
            return new Plan(input, auxiliary, !weighted, merged);
        }

        int auxiliarySize() {
            return auxiliary == null || replacesBackwardInput ? 0 : auxiliary.features();
        }

        SequenceLayout backwardInput() {
            return replacesBackwardInput ? auxiliary : input;
        }
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        Plan plan = Plan.of(operation);
        int batches = plan.input().batches();
        LstmCell.check(operation, FORWARD, batches, plan.input().features(), plan.auxiliarySize());
        LstmCell.check(operation, BACKWARD, batches, plan.backwardInput().features(), plan.auxiliarySize());
        RecurrentActivation.of(operation, ACTIVATION);
        int forward = LstmCell.outputs(operation, FORWARD);
        int backward = LstmCell.outputs(operation, BACKWARD);
        operation.setOutput(
                0,
                plan.input().with(plan.merged() ? forward + backward : forward).dims());
        if (!plan.merged()) {
            operation.setOutput(1, plan.input().with(backward).dims());
        }
        int states = plan.merged() ? 1 : 2;
        if (operation.outputCount() > states) {
            for (int i = 0; i < STATES; i++) {
                operation.setOutput(states + i, operation.dims(FORWARD_STATE + i));
            }
        }
    }

    @Override
    public void execute(ExecutionContext operation) {
        Plan plan = Plan.of(operation);
        int forward = LstmCell.outputs(operation, FORWARD);
        int backward = LstmCell.outputs(operation, BACKWARD);
        float[][] states = new float[STATES][];
        for (int i = 0; i < STATES; i++) {
            states[i] = Reals.read(operation, FORWARD_STATE + i);
        }
        float[] first = new float[operation.outCount(0)];
        float[] second = plan.merged() ? first : new float[operation.outCount(1)];
        SequenceLayout firstLayout = plan.input().with(plan.merged() ? forward + backward : forward);
        SequenceLayout secondLayout = plan.merged() ? firstLayout : plan.input().with(backward);
        run(operation, plan, FORWARD, plan.input(), INPUT, false, states[0], states[1], first, firstLayout, 0);
        run(
                operation,
                plan,
                BACKWARD,
                plan.backwardInput(),
                plan.replacesBackwardInput() ? AUXILIARY : INPUT,
                true,
                states[2],
                states[3],
                second,
                secondLayout,
                plan.merged() ? forward : 0);
        Reals.write(operation, 0, first);
        if (!plan.merged()) {
            Reals.write(operation, 1, second);
        }
        int stateOutputs = plan.merged() ? 1 : 2;
        if (operation.outputCount() > stateOutputs) {
            for (int i = 0; i < STATES; i++) {
                Reals.write(operation, stateOutputs + i, states[i]);
            }
        }
    }

    private static void run(
            ExecutionContext operation,
            Plan plan,
            LstmOperands at,
            SequenceLayout sequence,
            int input,
            boolean reversed,
            float[] h,
            float[] c,
            float[] out,
            SequenceLayout results,
            int column) {
        int outputs = LstmCell.outputs(operation, at);
        int units = LstmCell.units(operation, at);
        float[] x = Reals.read(operation, input);
        float[] extra = plan.auxiliarySize() > 0 ? Reals.read(operation, AUXILIARY) : null;
        LstmCell cell = LstmCell.of(operation, at, sequence.features(), plan.auxiliarySize(), ACTIVATION);
        for (int i = 0; i < sequence.steps(); i++) {
            int t = reversed ? sequence.steps() - 1 - i : i;
            for (int b = 0; b < sequence.batches(); b++) {
                int atExtra = extra == null ? 0 : plan.auxiliary().index(t, b);
                cell.step(x, sequence.index(t, b), extra, atExtra, h, b * outputs, c, b * units);
                System.arraycopy(h, b * outputs, out, results.index(t, b) + column, outputs);
            }
        }
    }
}
