package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.SelectOp;
import org.torchnnapi.program.op.TableOp;

/** SELECT; bytes of another scale or zero point than the output's are brought to that by a table. */
final class SelectOperationLowering implements OperationLowering {
    private static final int CONDITION = OperationView.input(OperationType.SELECT, "condition");
    private static final int A = OperationView.input(OperationType.SELECT, "a");
    private static final int B = OperationView.input(OperationType.SELECT, "b");

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.anyTypeProblem(A), site.anyTypeProblem(B));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return false;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(
                site,
                new SelectOp(),
                translation.in(site, CONDITION),
                choice(site, translation, A),
                choice(site, translation, B));
    }

    private static int choice(OperationView site, Translation translation, int input) {
        ValueType type = site.type(input);
        int value = translation.in(site, input);
        return !type.isQuantized() || type.sameElements(OperationView.type(site.out()))
                ? value
                : translation.add(new TableOp(DefinitionTable.requantized(site, input), site.outQuantization()), value);
    }
}
