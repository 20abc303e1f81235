package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;

/** RANK: a constant once the shape is known. */
final class RankOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        return null;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, 0, translation.constant(ValueType.ints(), new int[] {
            site.in(0).rank()
        }));
    }
}
