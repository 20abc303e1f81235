package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.L2NormalizationOp;

/** L2_NORMALIZATION along a constant axis. */
final class L2NormalizationKind implements Kind {
    private static final int AXIS = Site.input(OperationType.L2_NORMALIZATION, "axis");

    @Override
    public Problem typeRefusal(Site site) {
        return site.typeProblem(0);
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new L2NormalizationOp(site.intValue(AXIS, -1), site.isFloat() ? null : site.outQuantization()), translation.in(site, 0));
    }
}
