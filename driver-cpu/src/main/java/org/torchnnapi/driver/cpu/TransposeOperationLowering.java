package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.op.TransposeOp;

/** TRANSPOSE by a constant permutation. */
final class TransposeOperationLowering implements OperationLowering {
    private static final int PERMUTATION = OperationView.input(OperationType.TRANSPOSE, "perm");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int rank = site.in(0).rank();
        int[] permutation = site.has(PERMUTATION) ? site.ints(PERMUTATION) : reversed(rank);
        translation.result(site, new TransposeOp(permutation), translation.in(site, 0));
    }

    private static int[] reversed(int rank) {
        int[] permutation = new int[rank];
        for (int i = 0; i < rank; i++) {
            permutation[i] = rank - 1 - i;
        }
        return permutation;
    }
}
