package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.CastOp;

/** CAST between floats, 32-bit numbers, unsigned bytes and flags. */
final class CastKind implements Kind {
    @Override
    public Problem typeRefusal(Site site) {
        return Site.first(site.anyTypeProblem(0),
                Site.COMPUTED.contains(site.out().type()) ? null : Problem.of("output", site.out().type(), "one of " + Site.COMPUTED));
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new CastOp(Site.type(site.out())), translation.in(site, 0));
    }
}
