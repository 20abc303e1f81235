package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.CompareOp;

/** EQUAL, LESS and their kin, with NumPy's broadcasting. */
record CompareOperationLowering(CompareOp.Relation relation) implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.anyTypeProblem(0), site.anyTypeProblem(1));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return false;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, new CompareOp(relation), translation.in(site, 0), translation.in(site, 1));
    }
}
