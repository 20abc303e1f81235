package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.PowerOp;

/** POW, with NumPy's broadcasting. */
final class PowOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        return site.realProblem(0);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return false;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, new PowerOp(), translation.in(site, 0), translation.in(site, 1));
    }
}
