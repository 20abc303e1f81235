package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.IntegersOp;

/** Arithmetic of 32-bit numbers, or logic of flags, with NumPy's broadcasting. */
record IntegersKind(IntegersOp.Function function) implements Kind {
    private static final int ACTIVATION = Site.input(OperationType.ADD, "activation");

    @Override
    public Problem typeRefusal(Site site) {
        return Site.first(site.anyTypeProblem(0), site.anyTypeProblem(1));
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return input >= ACTIVATION;
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new IntegersOp(function), translation.in(site, 0), translation.in(site, 1));
    }
}
