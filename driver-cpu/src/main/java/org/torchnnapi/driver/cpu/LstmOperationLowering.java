package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.LstmOperands;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.ValueType;

/** LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM, the one step of the one and the sequence of the other. */
final class LstmOperationLowering implements OperationLowering {
    private static final int INPUT = OperationView.input(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM, "input");
    private static final int TIME_MAJOR = OperationView.input(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM, "timeMajor");
    /** The one before it is room for a device's own use. */
    private static final int STEP_STATE_OUT = 1;

    private static final int STEP_OUT = 3;

    private final boolean sequence;
    private final LstmLayer layer;

    /** @param sequence whether there are several steps */
    LstmOperationLowering(boolean sequence) {
        this.sequence = sequence;
        OperandNames names =
                OperationView.inputs(sequence ? OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM : OperationType.LSTM);
        layer = new LstmLayer(LstmOperands.of(names, ""), names.at("activation"), false);
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(INPUT);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input != INPUT && !layer.isState(input);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        boolean timeMajor = sequence && site.intValue(TIME_MAJOR) != 0;
        LstmLayer.Results results =
                layer.translate(site, translation, Sequences.timeFirst(site, translation, INPUT, timeMajor), false);
        if (sequence) {
            translation.result(
                    site,
                    0,
                    Sequences.declared(
                            translation, results.all(), timeMajor, site.out().dimensions()));
        } else {
            ValueType room = OperationView.type(site.out());
            translation.result(site, 0, translation.constant(room, new float[room.count()]));
            translation.result(site, STEP_OUT, results.outputs());
        }
        if (site.operation().outputCount() > STEP_STATE_OUT) {
            translation.result(site, STEP_STATE_OUT, results.outputs());
            translation.result(site, STEP_STATE_OUT + 1, results.cells());
        }
    }
}
