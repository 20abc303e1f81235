package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.PowerOp;

/** POW, with NumPy's broadcasting. */
final class PowKind implements Kind {
    @Override
    public Problem typeRefusal(Site site) {
        return site.realProblem(0);
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return false;
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new PowerOp(), translation.in(site, 0), translation.in(site, 1));
    }
}
