package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.CastOp;

/** CAST between floats, 32-bit numbers, unsigned bytes and flags. */
final class CastOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(
                site.anyTypeProblem(0),
                OperationView.COMPUTED.contains(site.out().type())
                        ? null
                        : Problem.of("output", site.out().type(), "one of " + OperationView.COMPUTED));
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, new CastOp(OperationView.type(site.out())), translation.in(site, 0));
    }
}
