package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.ArgExtremeOp;
import org.torchnnapi.program.op.ReshapeOp;

/** ARGMAX and ARGMIN along a constant axis. */
record ArgExtremeKind(boolean largest) implements Kind {
    private static final int AXIS = Site.input(OperationType.ARGMAX, "axis");

    @Override
    public Problem typeRefusal(Site site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(Site site, Translation translation) {
        // As [1] where no axis is left.
        translation.result(site, new ReshapeOp(site.out().dimensions()),
                translation.add(new ArgExtremeOp(largest, site.intValue(AXIS)), translation.in(site, 0)));
    }
}
