package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.CellFunction;

/** BIDIRECTIONAL_SEQUENCE_RNN: two layers, the second from the last step to the first. */
final class BidirectionalRnnOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.BIDIRECTIONAL_SEQUENCE_RNN);
    private static final int FORWARD_WEIGHTS = INPUTS.at("forwardWeights");
    private static final int FORWARD_STATE = INPUTS.at("forwardState");
    private static final int BACKWARD_WEIGHTS = INPUTS.at("backwardWeights");
    private static final int BACKWARD_STATE = INPUTS.at("backwardState");
    private static final int FORWARD_AUXILIARY = INPUTS.at("forwardAuxiliaryWeights");
    private static final int BACKWARD_AUXILIARY = INPUTS.at("backwardAuxiliaryWeights");
    private static final int ACTIVATION = INPUTS.at("activation");
    private static final Directions DIRECTIONS = new Directions(
            INPUTS.at("auxiliaryInput"),
            FORWARD_AUXILIARY,
            BACKWARD_AUXILIARY,
            INPUTS.at("timeMajor"),
            INPUTS.at("mergeOutputs"));

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(Directions.INPUT);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return !DIRECTIONS.isSequence(input) && input != FORWARD_STATE && input != BACKWARD_STATE;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        CellFunction function = Sequences.function(site, ACTIVATION);
        boolean weighted = DIRECTIONS.isWeighted(site);
        int forward = RnnOperationLowering.layer(
                site,
                translation,
                FORWARD_WEIGHTS,
                weighted ? site.floats(FORWARD_AUXILIARY) : null,
                DIRECTIONS.forwardInput(site, translation),
                translation.in(site, FORWARD_STATE),
                function,
                false);
        int backward = RnnOperationLowering.layer(
                site,
                translation,
                BACKWARD_WEIGHTS,
                weighted ? site.floats(BACKWARD_AUXILIARY) : null,
                DIRECTIONS.backwardInput(site, translation),
                translation.in(site, BACKWARD_STATE),
                function,
                true);
        int results = DIRECTIONS.result(site, translation, forward, backward);
        if (site.operation().outputCount() > results) {
            translation.result(site, results, Sequences.last(translation, forward, false));
            translation.result(site, results + 1, Sequences.last(translation, backward, true));
        }
    }
}
