package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.LimitOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.program.op.UnaryMathOp;

/** A function of one element: by kernel in float, by table in bytes. */
record UnaryKind(Op real) implements Kind {
    static UnaryKind of(UnaryOp op) {
        return new UnaryKind(new UnaryMathOp(op));
    }

    static UnaryKind of(Clamp clamp) {
        return new UnaryKind(new LimitOp(clamp));
    }

    @Override
    public Problem typeRefusal(Site site) {
        return site.typeProblem(0);
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, site.isFloat() ? real : new TableOp(DefinitionTable.unary(site), site.outQuantization()), translation.in(site, 0));
    }
}
