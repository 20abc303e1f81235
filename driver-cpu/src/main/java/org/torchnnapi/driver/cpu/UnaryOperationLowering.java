package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** A function of one element: by kernel in float, by table in bytes. */
record UnaryOperationLowering(Op real) implements OperationLowering {
    static UnaryOperationLowering of(UnaryOp op) {
        return new UnaryOperationLowering(new UnaryMathOp(op));
    }

    static UnaryOperationLowering of(Clamp clamp) {
        return new UnaryOperationLowering(new ClampOp(clamp));
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, site.isFloat() ? real : DefinitionTable.lookUp(site), translation.in(site, 0));
    }
}
