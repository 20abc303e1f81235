package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.ReshapeOp;

/** Operations that only rename dimensions: the elements stay in their order. */
final class ReshapeOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, new ReshapeOp(site.out().dimensions()), translation.in(site, 0));
    }
}
