package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.TakeAlongOp;
import org.torchnnapi.program.op.TopPlacesOp;

/** TOPK_V2: the places of the largest of each row, and the elements there. */
final class TopOperationLowering implements OperationLowering {
    private static final int K = OperationView.input(OperationType.TOPK_V2, "k");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int in = translation.in(site, 0);
        int places = translation.add(new TopPlacesOp(site.intValue(K)), in);
        translation.result(site, 0, translation.add(new TakeAlongOp(), in, places));
        translation.result(site, 1, places);
    }
}
