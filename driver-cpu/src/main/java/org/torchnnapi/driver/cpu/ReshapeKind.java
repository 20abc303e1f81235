package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.ReshapeOp;

/** Operations that only rename dimensions: the elements stay in their order. */
final class ReshapeKind implements Kind {
    @Override
    public Problem typeRefusal(Site site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new ReshapeOp(site.out().dimensions()), translation.in(site, 0));
    }
}
