package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.CompareOp;

/** EQUAL, LESS and their kin, with NumPy's broadcasting. */
record CompareKind(CompareOp.Relation relation) implements Kind {
    @Override
    public Problem typeRefusal(Site site) {
        return Site.first(site.anyTypeProblem(0), site.anyTypeProblem(1));
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return false;
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new CompareOp(relation), translation.in(site, 0), translation.in(site, 1));
    }
}
