package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.TableOp;

/** CONCATENATION; bytes of another scale or zero point than the output's are brought to that by a table. */
final class ConcatenationOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        Problem problem = null;
        for (int i = 0; i < site.at("axis") && problem == null; i++) {
            problem = site.anyTypeProblem(i);
        }
        return problem;
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input == site.at("axis");
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int tensors = site.at("axis");
        int[] values = new int[tensors];
        for (int i = 0; i < tensors; i++) {
            values[i] = translation.in(site, i);
            if (site.type(i).isQuantized() && !site.type(i).sameElements(OperationView.type(site.out()))) {
                values[i] = translation.add(
                        new TableOp(DefinitionTable.requantized(site, i), site.outQuantization()), values[i]);
            }
        }
        translation.result(site, new ConcatenationOp(site.intValue(tensors)), values);
    }
}
