package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Two basic recurrent layers over a sequence, forward and backward in time; see {@link RnnCell}. Outputs are separate,
 * or merged along the features; from 1.3 on the two last states may follow. An auxiliary input goes into both layers
 * beside the input where auxiliary weights are given, and instead of the input into the backward layer where they are
 * not.
 */
final class BidirectionalSequenceRnn extends OperationDefinition {
    private static final OperandNames INPUTS = OperandNames.of(
            "input",
            "forwardWeights",
            "forwardRecurrentWeights",
            "forwardBias",
            "forwardState",
            "backwardWeights",
            "backwardRecurrentWeights",
            "backwardBias",
            "backwardState",
            "auxiliaryInput",
            "forwardAuxiliaryWeights",
            "backwardAuxiliaryWeights",
            "activation",
            "timeMajor",
            "mergeOutputs");
    private static final OperandNames OUTPUTS = OperandNames.of("results[]");
    private static final int INPUT = INPUTS.at("input");
    private static final int FORWARD_WEIGHTS = INPUTS.at("forwardWeights");
    private static final int FORWARD_STATE = INPUTS.at("forwardState");
    private static final int BACKWARD_WEIGHTS = INPUTS.at("backwardWeights");
    private static final int BACKWARD_STATE = INPUTS.at("backwardState");
    private static final int AUXILIARY = INPUTS.at("auxiliaryInput");
    private static final int FORWARD_AUXILIARY_WEIGHTS = INPUTS.at("forwardAuxiliaryWeights");
    private static final int BACKWARD_AUXILIARY_WEIGHTS = INPUTS.at("backwardAuxiliaryWeights");
    private static final int ACTIVATION = INPUTS.at("activation");
    private static final int TIME_MAJOR = INPUTS.at("timeMajor");
    private static final int MERGE_OUTPUTS = INPUTS.at("mergeOutputs");

    private static final int STATES = 2;

    BidirectionalSequenceRnn() {
        super(
                OperationType.BIDIRECTIONAL_SEQUENCE_RNN,
                Signatures.builder(INPUTS)
                        .outputs(OUTPUTS)
                        .row(V1_2, inputs(TENSOR_FLOAT32), times(1, TENSOR_FLOAT32))
                        .row(V1_2, inputs(TENSOR_FLOAT32), times(2, TENSOR_FLOAT32))
                        .row(V1_2, inputs(TENSOR_FLOAT16), times(1, TENSOR_FLOAT16))
                        .row(V1_2, inputs(TENSOR_FLOAT16), times(2, TENSOR_FLOAT16))
                        .row(V1_3, inputs(TENSOR_FLOAT32), times(1 + STATES, TENSOR_FLOAT32))
                        .row(V1_3, inputs(TENSOR_FLOAT32), times(2 + STATES, TENSOR_FLOAT32))
                        .row(V1_3, inputs(TENSOR_FLOAT16), times(1 + STATES, TENSOR_FLOAT16))
                        .row(V1_3, inputs(TENSOR_FLOAT16), times(2 + STATES, TENSOR_FLOAT16))
                        .optional("auxiliaryInput", "forwardAuxiliaryWeights", "backwardAuxiliaryWeights")
                        .rank("input", 3)
                        .rank("forwardState", 2)
                        .rank("backwardState", 2)
                        .build());
    }

    private static OperandType[] inputs(OperandType tensor) {
        return join(times(12, tensor), INT32, BOOL, BOOL);
    }

    private static SequenceLayout sequence(OperationContext operation, int input) {
        return SequenceLayout.of(operation, input, operation.bool(TIME_MAJOR));
    }

    /** Whether the auxiliary input takes the place of the input in the backward layer. */
    private static boolean replacesBackwardInput(OperationContext operation) {
        return operation.has(AUXILIARY) && !operation.has(FORWARD_AUXILIARY_WEIGHTS);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        SequenceLayout sequence = sequence(operation, INPUT);
        boolean merged = operation.bool(MERGE_OUTPUTS);
        boolean weighted = operation.has(FORWARD_AUXILIARY_WEIGHTS);
        operation.require(
                weighted == operation.has(BACKWARD_AUXILIARY_WEIGHTS),
                "auxiliary weights",
                "given for one direction",
                "both or none");
        operation.require(
                !weighted || operation.has(AUXILIARY),
                "auxiliary weights",
                "given",
                "left out without an auxiliary input");
        int inputSize = sequence.features();
        int backwardSize = inputSize;
        if (operation.has(AUXILIARY)) {
            SequenceLayout auxiliary = sequence(operation, AUXILIARY);
            operation.require(
                    auxiliary.steps() == sequence.steps() && auxiliary.batches() == sequence.batches(),
                    "auxiliary input",
                    Arrays.toString(operation.dims(AUXILIARY)),
                    "the time and batch of the input");
            if (weighted) {
                operation.requireDims(
                        FORWARD_AUXILIARY_WEIGHTS, operation.dim(FORWARD_WEIGHTS, 0), auxiliary.features());
                operation.requireDims(
                        BACKWARD_AUXILIARY_WEIGHTS, operation.dim(BACKWARD_WEIGHTS, 0), auxiliary.features());
            } else {
                backwardSize = auxiliary.features();
            }
        }
        RnnCell.check(operation, FORWARD_WEIGHTS, FORWARD_STATE, sequence.batches(), inputSize);
        RnnCell.check(operation, BACKWARD_WEIGHTS, BACKWARD_STATE, sequence.batches(), backwardSize);
        RecurrentActivation.of(operation, ACTIVATION);
        int results = merged ? 1 : 2;
        operation.require(
                operation.outputCount() == results || operation.outputCount() == results + STATES,
                "outputs",
                operation.outputCount(),
                results + " or " + (results + STATES));
        int forward = operation.dim(FORWARD_WEIGHTS, 0);
        int backward = operation.dim(BACKWARD_WEIGHTS, 0);
        operation.setOutput(
                0, sequence.with(merged ? forward + backward : forward).dims());
        if (!merged) {
            operation.setOutput(1, sequence.with(backward).dims());
        }
        if (operation.outputCount() > results) {
            operation.setOutput(results, operation.dims(FORWARD_STATE));
            operation.setOutput(results + 1, operation.dims(BACKWARD_STATE));
        }
    }

    @Override
    public void execute(ExecutionContext operation) {
        SequenceLayout sequence = sequence(operation, INPUT);
        boolean merged = operation.bool(MERGE_OUTPUTS);
        RecurrentActivation activation = RecurrentActivation.of(operation, ACTIVATION);
        RnnCell forward = new RnnCell(operation, FORWARD_WEIGHTS, FORWARD_AUXILIARY_WEIGHTS, activation);
        RnnCell backward = new RnnCell(operation, BACKWARD_WEIGHTS, BACKWARD_AUXILIARY_WEIGHTS, activation);
        float[] forwardState = Reals.read(operation, FORWARD_STATE);
        float[] backwardState = Reals.read(operation, BACKWARD_STATE);
        float[] first = new float[operation.outCount(0)];
        float[] second = merged ? first : new float[operation.outCount(1)];
        SequenceLayout firstLayout = sequence.with(merged ? forward.units() + backward.units() : forward.units());
        SequenceLayout secondLayout = merged ? firstLayout : sequence.with(backward.units());
        run(operation, forward, INPUT, false, forwardState, first, firstLayout, 0);
        run(
                operation,
                backward,
                replacesBackwardInput(operation) ? AUXILIARY : INPUT,
                true,
                backwardState,
                second,
                secondLayout,
                merged ? forward.units() : 0);
        Reals.write(operation, 0, first);
        if (!merged) {
            Reals.write(operation, 1, second);
        }
        int results = merged ? 1 : 2;
        if (operation.outputCount() > results) {
            Reals.write(operation, results, forwardState);
            Reals.write(operation, results + 1, backwardState);
        }
    }

    private static void run(
            ExecutionContext operation,
            RnnCell cell,
            int input,
            boolean reversed,
            float[] h,
            float[] out,
            SequenceLayout results,
            int column) {
        SequenceLayout sequence = sequence(operation, input);
        float[] x = Reals.read(operation, input);
        boolean besides = operation.has(FORWARD_AUXILIARY_WEIGHTS);
        float[] extra = besides ? Reals.read(operation, AUXILIARY) : null;
        SequenceLayout extraLayout = besides ? sequence(operation, AUXILIARY) : null;
        for (int i = 0; i < sequence.steps(); i++) {
            int t = reversed ? sequence.steps() - 1 - i : i;
            for (int b = 0; b < sequence.batches(); b++) {
                cell.step(x, sequence.index(t, b), extra, besides ? extraLayout.index(t, b) : 0, h, b * cell.units());
                System.arraycopy(h, b * cell.units(), out, results.index(t, b) + column, cell.units());
            }
        }
    }
}
