package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.SelectOp;
import org.torchnnapi.program.op.TableOp;

/** SELECT; bytes of another scale or zero point than the output's are brought to that by a table. */
final class SelectKind implements Kind {
    private static final int CONDITION = Site.input(OperationType.SELECT, "condition");
    private static final int A = Site.input(OperationType.SELECT, "a");
    private static final int B = Site.input(OperationType.SELECT, "b");

    @Override
    public Problem typeRefusal(Site site) {
        return Site.first(site.anyTypeProblem(A), site.anyTypeProblem(B));
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return false;
    }

    @Override
    public void translate(Site site, Translation translation) {
        translation.result(site, new SelectOp(), translation.in(site, CONDITION), choice(site, translation, A), choice(site, translation, B));
    }

    private static int choice(Site site, Translation translation, int input) {
        ValueType type = site.type(input);
        int value = translation.in(site, input);
        return !type.isQuantized() || type.sameElements(Site.type(site.out())) ? value
                : translation.add(new TableOp(DefinitionTable.requantized(site, input), site.outQuantization()), value);
    }
}
