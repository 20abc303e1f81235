package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.TileOp;

/** TILE by constant numbers. */
final class TileOperationLowering implements OperationLowering {
    private static final int TIMES = OperationView.input(OperationType.TILE, "multiples");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        return site.problem(new TileOp(site.ints(TIMES)), 1);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, new TileOp(site.ints(TIMES)), translation.in(site, 0));
    }
}
