package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.BoxTransformOp;

/** AXIS_ALIGNED_BBOX_TRANSFORM. */
final class BoxTransformKind implements Kind {
    private static final int DELTAS = Site.input(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM, "deltas");

    @Override
    public Problem typeRefusal(Site site) {
        return Site.first(site.coordinatesProblem(0), site.typeProblem(DELTAS));
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return false;
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new BoxTransformOp(), translation.in(site, 0), translation.in(site, DELTAS), translation.in(site, 2),
                translation.in(site, 3));
    }
}
