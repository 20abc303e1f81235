package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.GatherOp;

/**
 * GATHER along a constant axis, and EMBEDDING_LOOKUP, whose axis is the first and whose indexes come before the values.
 */
final class GatherOperationLowering implements OperationLowering {

    private static boolean isEmbedding(OperationView site) {
        return site.operation().type() == OperationType.EMBEDDING_LOOKUP;
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(isEmbedding(site) ? site.at("values") : site.at("input"));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return !isEmbedding(site) && input == site.at("axis");
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        if (isEmbedding(site)) {
            translation.result(
                    site,
                    new GatherOp(0),
                    translation.in(site, site.at("values")),
                    translation.in(site, site.at("lookups")));
        } else {
            translation.result(
                    site,
                    new GatherOp(site.intValue(site.at("axis"))),
                    translation.in(site, site.at("input")),
                    translation.in(site, site.at("indices")));
        }
    }
}
