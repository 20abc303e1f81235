package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.QuantizedSoftmaxOp;
import org.torchnnapi.program.op.SoftmaxOp;

/** SOFTMAX of floats and bytes and LOG_SOFTMAX of floats, along any axis. */
record SoftmaxKind(boolean logarithm) implements Kind {
    private static final int BETA = Site.input(OperationType.SOFTMAX, "beta");
    private static final int AXIS = Site.input(OperationType.SOFTMAX, "axis");

    @Override
    public Problem typeRefusal(Site site) {
        return Site.first(site.typeProblem(0), logarithm ? site.realProblem(0) : null);
    }

    @Override
    public Problem refusal(Site site) {
        float beta = site.floatValue(BETA);
        return beta > 0 ? null : Problem.of("beta", beta, "> 0");
    }

    @Override
    public void translate(Site site, Translation translation) {
        float beta = site.floatValue(BETA);
        int axis = site.intValue(AXIS, -1);
        translation.result(site, site.isFloat() ? new SoftmaxOp(axis, beta, logarithm) : new QuantizedSoftmaxOp(axis, beta, site.outQuantization()),
                translation.in(site, 0));
    }
}
