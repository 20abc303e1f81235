package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.RnnStepsOp;

/** RNN and UNIDIRECTIONAL_SEQUENCE_RNN: the inputs of all steps times their weights at once, then step by step. */
final class RnnOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.UNIDIRECTIONAL_SEQUENCE_RNN);
    private static final int INPUT = INPUTS.at("input");
    private static final int WEIGHTS = INPUTS.at("weights");
    private static final int STATE = INPUTS.at("hiddenState");
    private static final int ACTIVATION = INPUTS.at("activation");
    private static final int TIME_MAJOR = INPUTS.at("timeMajor");

    private final boolean sequence;

    /** @param sequence whether there are several steps */
    RnnOperationLowering(boolean sequence) {
        this.sequence = sequence;
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(INPUT);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input != INPUT && input != STATE;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        boolean timeMajor = sequence && site.intValue(TIME_MAJOR) == 1;
        int x = Sequences.timeFirst(site, translation, INPUT, timeMajor);
        int outputs = layer(
                site,
                translation,
                WEIGHTS,
                null,
                x,
                translation.in(site, STATE),
                Sequences.function(site, ACTIVATION),
                false);
        if (!sequence) {
            int state = Sequences.last(translation, outputs, false);
            translation.result(site, 0, state);
            translation.result(site, 1, state);
            return;
        }
        translation.result(
                site,
                0,
                Sequences.declared(translation, outputs, timeMajor, site.out().dimensions()));
        if (site.operation().outputCount() > 1) {
            translation.result(site, 1, Sequences.last(translation, outputs, false));
        }
    }

    /**
     * One direction of a layer over {@code [steps, batch, features]}; gives {@code [steps, batch, units]}.
     *
     * @param weights where its input weights are, which recurrent weights and bias follow
     * @param more weights for the features after those that the input weights are for, {@code [units][more features]};
     *     null for none
     */
    static int layer(
            OperationView site,
            Translation translation,
            int weights,
            float[] more,
            int x,
            int state,
            CellFunction function,
            boolean reverse) {
        int units = site.in(weights).dimension(0);
        float[] ofInput = site.floats(weights);
        int sums = Sequences.weighted(
                translation,
                x,
                more == null ? ofInput : Sequences.beside(ofInput, more, units),
                site.floats(weights + 2));
        return translation.add(new RnnStepsOp(units, site.floats(weights + 1), function, reverse), sums, state);
    }
}
