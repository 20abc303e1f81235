package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.QuantizedSoftmaxOp;
import org.torchnnapi.program.op.SoftmaxOp;

/** SOFTMAX of floats and bytes and LOG_SOFTMAX of floats, along any axis. */
record SoftmaxOperationLowering(boolean logarithm) implements OperationLowering {
    private static final int BETA = OperationView.input(OperationType.SOFTMAX, "beta");
    private static final int AXIS = OperationView.input(OperationType.SOFTMAX, "axis");

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.typeProblem(0), logarithm ? site.realProblem(0) : null);
    }

    @Override
    public Problem refusal(OperationView site) {
        float beta = site.floatValue(BETA);
        return beta > 0 ? null : Problem.of("beta", beta, "> 0");
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        float beta = site.floatValue(BETA);
        int axis = site.intValue(AXIS, -1);
        translation.result(
                site,
                site.isFloat()
                        ? new SoftmaxOp(axis, beta, logarithm)
                        : new QuantizedSoftmaxOp(axis, beta, site.outQuantization()),
                translation.in(site, 0));
    }
}
