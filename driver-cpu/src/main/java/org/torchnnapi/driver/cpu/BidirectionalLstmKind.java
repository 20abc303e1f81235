package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;

/** BIDIRECTIONAL_SEQUENCE_LSTM: two layers, the second from the last step to the first. */
final class BidirectionalLstmKind implements Kind {
    private static final int ACTIVATION = 48;
    private static final int FORWARD_AUXILIARY = 40;
    private static final int BACKWARD_AUXILIARY = 44;
    private static final int OUTPUT_GATE = 3;

    private static final LstmLayer FORWARD = new LstmLayer(1, 5, 9, 12, 16, 35, FORWARD_AUXILIARY, 53, ACTIVATION, false);
    private static final LstmLayer BACKWARD = new LstmLayer(18, 22, 26, 29, 33, 37, BACKWARD_AUXILIARY, 57, ACTIVATION, true);
    private static final Directions DIRECTIONS = new Directions(39, FORWARD_AUXILIARY + OUTPUT_GATE, BACKWARD_AUXILIARY + OUTPUT_GATE, 52, 51);

    @Override
    public Problem typeRefusal(Site site) {
        return site.realProblem(Directions.INPUT);
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return !DIRECTIONS.isSequence(input) && !FORWARD.isState(input) && !BACKWARD.isState(input);
    }

    @Override
    public boolean isOptional(int input) {
        return input == DIRECTIONS.auxiliary() || FORWARD.isOptional(input) || BACKWARD.isOptional(input);
    }

    @Override
    public void translate(Site site, Translation translation) {
        boolean weighted = DIRECTIONS.isWeighted(site);
        LstmLayer.Results forward = FORWARD.translate(site, translation, DIRECTIONS.forwardInput(site, translation), weighted);
        LstmLayer.Results backward = BACKWARD.translate(site, translation, DIRECTIONS.backwardInput(site, translation), weighted);
        int results = DIRECTIONS.result(site, translation, forward.all(), backward.all());
        if (site.operation().outputCount() > results) {
            translation.result(site, results, forward.outputs());
            translation.result(site, results + 1, forward.cells());
            translation.result(site, results + 2, backward.outputs());
            translation.result(site, results + 3, backward.cells());
        }
    }
}
