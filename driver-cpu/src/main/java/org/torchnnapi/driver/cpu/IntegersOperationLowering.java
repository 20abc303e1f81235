package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.Int32BinaryOp;

/** Arithmetic of 32-bit numbers, or logic of flags, with NumPy's broadcasting. */
record IntegersOperationLowering(Int32BinaryOp.Function function) implements OperationLowering {
    private static final int ACTIVATION = OperationView.input(OperationType.ADD, "activation");

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.anyTypeProblem(0), site.anyTypeProblem(1));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input >= ACTIVATION;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, new Int32BinaryOp(function), translation.in(site, 0), translation.in(site, 1));
    }
}
