package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.LocalResponseNormalizationOp;

/** LOCAL_RESPONSE_NORMALIZATION with constant numbers. */
final class LocalResponseNormalizationKind implements Kind {
    private static final int RADIUS = 1;
    private static final int BIAS = 2;
    private static final int ALPHA = 3;
    private static final int BETA = 4;
    private static final int AXIS = 5;

    @Override
    public Problem typeRefusal(Site site) {
        return site.realProblem(0);
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new LocalResponseNormalizationOp(site.intValue(AXIS, -1), site.intValue(RADIUS), site.floatValue(BIAS),
                site.floatValue(ALPHA), site.floatValue(BETA)), translation.in(site, 0));
    }
}
