package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.LstmOperands;
import org.torchnnapi.nnapi.op.OperandNames;

/** BIDIRECTIONAL_SEQUENCE_LSTM: two layers, the second from the last step to the first. */
final class BidirectionalLstmOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.BIDIRECTIONAL_SEQUENCE_LSTM);
    private static final int LAST_GATE = 3;

    private static final LstmLayer FORWARD = layer("forward", false);
    private static final LstmLayer BACKWARD = layer("backward", true);
    private static final Directions DIRECTIONS = new Directions(
            INPUTS.at("auxiliaryInput"),
            FORWARD.at().auxiliary() + LAST_GATE,
            BACKWARD.at().auxiliary() + LAST_GATE,
            INPUTS.at("timeMajor"),
            INPUTS.at("mergeOutputs"));

    private static LstmLayer layer(String direction, boolean reverse) {
        return new LstmLayer(LstmOperands.of(INPUTS, direction), INPUTS.at("activation"), reverse);
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(Directions.INPUT);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return !DIRECTIONS.isSequence(input) && !FORWARD.isState(input) && !BACKWARD.isState(input);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        boolean weighted = DIRECTIONS.isWeighted(site);
        LstmLayer.Results forward =
                FORWARD.translate(site, translation, DIRECTIONS.forwardInput(site, translation), weighted);
        LstmLayer.Results backward =
                BACKWARD.translate(site, translation, DIRECTIONS.backwardInput(site, translation), weighted);
        int results = DIRECTIONS.result(site, translation, forward.all(), backward.all());
        if (site.operation().outputCount() > results) {
            translation.result(site, results, forward.outputs());
            translation.result(site, results + 1, forward.cells());
            translation.result(site, results + 2, backward.outputs());
            translation.result(site, results + 3, backward.cells());
        }
    }
}
