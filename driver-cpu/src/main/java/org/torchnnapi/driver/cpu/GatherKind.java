package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.GatherOp;

/** GATHER along a constant axis, and EMBEDDING_LOOKUP, whose axis is the first and whose indexes come before the values. */
final class GatherKind implements Kind {

    private static boolean isEmbedding(Site site) {
        return site.operation().type() == OperationType.EMBEDDING_LOOKUP;
    }

    @Override
    public Problem typeRefusal(Site site) {
        return site.anyTypeProblem(isEmbedding(site) ? site.at("values") : site.at("input"));
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return !isEmbedding(site) && input == site.at("axis");
    }

    @Override
    public void translate(Site site, Translation translation) {
        if (isEmbedding(site)) {
            translation.result(site, new GatherOp(0), translation.in(site, site.at("values")), translation.in(site, site.at("lookups")));
        } else {
            translation.result(site, new GatherOp(site.intValue(site.at("axis"))), translation.in(site, site.at("input")),
                    translation.in(site, site.at("indices")));
        }
    }
}
