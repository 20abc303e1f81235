package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.PadOp;

/** PAD, and PAD_V2 with a constant value. */
final class PadOperationLowering implements OperationLowering {
    private static final int PADDINGS = OperationView.input(OperationType.PAD_V2, "paddings");
    private static final int VALUE = OperationView.input(OperationType.PAD_V2, "value");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        return site.problem(op(site), 1);
    }

    private static PadOp op(OperationView site) {
        int[] paddings = site.ints(PADDINGS);
        int[] before = new int[paddings.length / 2];
        int[] after = new int[before.length];
        for (int i = 0; i < before.length; i++) {
            before[i] = paddings[2 * i];
            after[i] = paddings[2 * i + 1];
        }
        float value = site.inputs() <= VALUE
                ? site.in(0).zeroPoint()
                : site.isFloat() ? site.floatValue(VALUE) : site.intValue(VALUE);
        return new PadOp(before, after, value);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, op(site), translation.in(site, 0));
    }
}
