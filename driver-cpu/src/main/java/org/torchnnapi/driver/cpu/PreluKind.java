package org.torchnnapi.driver.cpu;

import org.torchnnapi.program.op.BinaryTable;
import org.torchnnapi.program.op.Prelu;

/** PRELU: by kernel in float, by table in bytes. */
final class PreluKind implements Kind {
    @Override
    public String typeRefusal(Site site) {
        return Site.first(site.typeProblem(0), site.typeProblem(1));
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return false;
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, site.isFloat() ? new Prelu() : new BinaryTable(ReferenceTable.binary(site), site.outQuantization()),
                translation.in(site, 0), translation.in(site, 1));
    }
}
