package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.LocalResponseNormalizationOp;

/** LOCAL_RESPONSE_NORMALIZATION with constant numbers. */
final class LocalResponseNormalizationOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.LOCAL_RESPONSE_NORMALIZATION);
    private static final int RADIUS = INPUTS.at("radius");
    private static final int BIAS = INPUTS.at("bias");
    private static final int ALPHA = INPUTS.at("alpha");
    private static final int BETA = INPUTS.at("beta");
    private static final int AXIS = INPUTS.at("axis");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(
                site,
                new LocalResponseNormalizationOp(
                        site.intValue(AXIS, -1),
                        site.intValue(RADIUS),
                        site.floatValue(BIAS),
                        site.floatValue(ALPHA),
                        site.floatValue(BETA)),
                translation.in(site, 0));
    }
}
