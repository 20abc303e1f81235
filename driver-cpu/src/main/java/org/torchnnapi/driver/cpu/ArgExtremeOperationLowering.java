package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.ArgExtremeOp;
import org.torchnnapi.program.op.ReshapeOp;

/** ARGMAX and ARGMIN along a constant axis. */
record ArgExtremeOperationLowering(boolean largest) implements OperationLowering {
    private static final int AXIS = OperationView.input(OperationType.ARGMAX, "axis");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        // As [1] where no axis is left.
        translation.result(
                site,
                new ReshapeOp(site.out().dimensions()),
                translation.add(new ArgExtremeOp(largest, site.intValue(AXIS)), translation.in(site, 0)));
    }
}
