package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.BinaryTableOp;

/** PRELU: by kernel in float, by table in bytes. */
final class PreluOperationLowering implements OperationLowering {
    private static final int SLOPE = OperationView.input(OperationType.PRELU, "alpha");

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.typeProblem(0), site.typeProblem(SLOPE));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return false;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        if (DefinitionTable.isUnary(site)) {
            translation.result(site, DefinitionTable.lookUp(site), translation.in(site, 0));
            return;
        }
        int x = translation.in(site, 0);
        int slope = translation.in(site, SLOPE);
        if (!site.isFloat()) {
            translation.result(site, new BinaryTableOp(DefinitionTable.binary(site), site.outQuantization()), x, slope);
        } else {
            translation.result(site, BinaryMathOp.of(BinaryOp.PRELU), x, slope);
        }
    }
}
