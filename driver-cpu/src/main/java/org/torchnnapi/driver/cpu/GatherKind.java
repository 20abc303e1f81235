package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.GatherOp;

/** GATHER along a constant axis, and EMBEDDING_LOOKUP, whose axis is the first and whose indexes come before the values. */
final class GatherKind implements Kind {
    private static final int AXIS = 1;
    private static final int INDEXES = 2;

    private static boolean isEmbedding(Site site) {
        return site.operation().type() == OperationType.EMBEDDING_LOOKUP;
    }

    @Override
    public Problem typeRefusal(Site site) {
        return site.anyTypeProblem(isEmbedding(site) ? 1 : 0);
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return !isEmbedding(site) && input == AXIS;
    }

    @Override
    public void translate(Site site, Translation translation) {
        if (isEmbedding(site)) {
            translation.result(site, new GatherOp(0), translation.in(site, 1), translation.in(site, 0));
        } else {
            translation.result(site, new GatherOp(site.intValue(AXIS)), translation.in(site, 0), translation.in(site, INDEXES));
        }
    }
}
