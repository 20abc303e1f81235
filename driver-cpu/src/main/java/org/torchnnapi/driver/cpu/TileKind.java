package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.TileOp;

/** TILE by constant numbers. */
final class TileKind implements Kind {
    private static final int TIMES = Site.input(OperationType.TILE, "multiples");

    @Override
    public Problem typeRefusal(Site site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public Problem refusal(Site site) {
        return site.problem(new TileOp(site.ints(TIMES)), 1);
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new TileOp(site.ints(TIMES)), translation.in(site, 0));
    }
}
