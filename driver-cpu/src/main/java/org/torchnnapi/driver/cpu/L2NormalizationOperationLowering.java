package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.L2NormalizationOp;

/** L2_NORMALIZATION along a constant axis. */
final class L2NormalizationOperationLowering implements OperationLowering {
    private static final int AXIS = OperationView.input(OperationType.L2_NORMALIZATION, "axis");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(
                site,
                new L2NormalizationOp(site.intValue(AXIS, -1), site.isFloat() ? null : site.outQuantization()),
                translation.in(site, 0));
    }
}
