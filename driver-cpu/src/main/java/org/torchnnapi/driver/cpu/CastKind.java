package org.torchnnapi.driver.cpu;

import org.torchnnapi.program.op.Cast;

/** CAST between floats, 32-bit numbers, unsigned bytes and flags. */
final class CastKind implements Kind {
    @Override
    public String typeRefusal(Site site) {
        return Site.first(site.anyTypeProblem(0),
                Site.COMPUTED.contains(site.out().type()) ? null : "output: " + site.out().type() + " (expected: one of " + Site.COMPUTED + ")");
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new Cast(Site.type(site.out())), translation.in(site, 0));
    }
}
