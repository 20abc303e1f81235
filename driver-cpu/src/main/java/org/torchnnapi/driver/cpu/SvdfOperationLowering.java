package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.SvdfMemoryOp;

/** SVDF: the input times the filters' feature weights, then what the filters remember times their time weights. */
final class SvdfOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.SVDF);
    private static final int INPUT = INPUTS.at("input");
    private static final int FEATURE_WEIGHTS = INPUTS.at("featureWeights");
    private static final int TIME_WEIGHTS = INPUTS.at("timeWeights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int STATE = INPUTS.at("state");
    private static final int RANK = INPUTS.at("rank");
    private static final int ACTIVATION = INPUTS.at("activation");

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
        int batch = site.in(INPUT).dimension(0);
        int filters = site.in(FEATURE_WEIGHTS).dimension(0);
        int memory = site.in(TIME_WEIGHTS).dimension(1);
        int sequence = Sequences.timeFirst(site, translation, INPUT, true);
        int products = Sequences.part(
                translation,
                Sequences.weighted(translation, sequence, site.floats(FEATURE_WEIGHTS), null),
                0,
                batch,
                filters);
        SvdfMemoryOp op = new SvdfMemoryOp(
                filters,
                memory,
                site.intValue(RANK),
                site.floats(TIME_WEIGHTS),
                site.has(BIAS) ? site.floats(BIAS) : null,
                Sequences.function(site, ACTIVATION));
        int flat = translation.add(op, products, translation.in(site, STATE));
        translation.result(site, 0, Sequences.part(translation, flat, 0, batch, filters * memory));
        translation.result(
                site,
                1,
                Sequences.part(translation, flat, batch * filters * memory, batch, filters / site.intValue(RANK)));
    }
}
