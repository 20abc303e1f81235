package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.PointwiseOp;

/** ELU with a constant alpha. */
final class EluOperationLowering implements OperationLowering {
    private static final int ALPHA = OperationView.input(OperationType.ELU, "alpha");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, PointwiseOp.elu(site.floatValue(ALPHA)), translation.in(site, 0));
    }
}
