package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.BoxTransformOp;

/** AXIS_ALIGNED_BBOX_TRANSFORM. */
final class BoxTransformOperationLowering implements OperationLowering {
    private static final int DELTAS = OperationView.input(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM, "deltas");

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.coordinatesProblem(0), site.typeProblem(DELTAS));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return false;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(
                site,
                new BoxTransformOp(),
                translation.in(site, 0),
                translation.in(site, DELTAS),
                translation.in(site, 2),
                translation.in(site, 3));
    }
}
