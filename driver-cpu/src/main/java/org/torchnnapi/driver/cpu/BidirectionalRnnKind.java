package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.CellFunction;

/** BIDIRECTIONAL_SEQUENCE_RNN: two layers, the second from the last step to the first. */
final class BidirectionalRnnKind implements Kind {
    private static final int BACKWARD_WEIGHTS = 5;
    private static final int BACKWARD_STATE = 8;
    private static final int AUXILIARY_WEIGHTS = 10;
    private static final int ACTIVATION = 12;
    private static final Directions DIRECTIONS = new Directions(9, AUXILIARY_WEIGHTS, AUXILIARY_WEIGHTS + 1, 13, 14);

    @Override
    public Problem typeRefusal(Site site) {
        return site.realProblem(Directions.INPUT);
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return !DIRECTIONS.isSequence(input) && input != RnnKind.STATE && input != BACKWARD_STATE;
    }

    @Override
    public boolean isOptional(int input) {
        return input >= DIRECTIONS.auxiliary() && input <= AUXILIARY_WEIGHTS + 1;
    }

    @Override
    public void translate(Site site, Translation translation) {
        CellFunction function = Sequences.function(site, ACTIVATION);
        boolean weighted = DIRECTIONS.isWeighted(site);
        int forward = RnnKind.layer(site, translation, RnnKind.WEIGHTS, weighted ? site.floats(AUXILIARY_WEIGHTS) : null,
                DIRECTIONS.forwardInput(site, translation), translation.in(site, RnnKind.STATE), function, false);
        int backward = RnnKind.layer(site, translation, BACKWARD_WEIGHTS, weighted ? site.floats(AUXILIARY_WEIGHTS + 1) : null,
                DIRECTIONS.backwardInput(site, translation), translation.in(site, BACKWARD_STATE), function, true);
        int results = DIRECTIONS.result(site, translation, forward, backward);
        if (site.operation().outputCount() > results) {
            translation.result(site, results, Sequences.last(translation, forward, false));
            translation.result(site, results + 1, Sequences.last(translation, backward, true));
        }
    }
}
