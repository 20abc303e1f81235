package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.CastOp;

/** REDUCE_ALL and REDUCE_ANY: the least and the largest of flags as floats. */
record LogicalReductionOperationLowering(ReductionKernel reduction) implements OperationLowering {
    private static final int AXES = OperationView.input(OperationType.REDUCE_ALL, "axes");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int floats = translation.add(new CastOp(ValueType.floats()), translation.in(site, 0));
        int reduced = ReductionOperationLowering.reduced(translation, reduction, site.ints(AXES), floats);
        translation.result(
                site, 0, translation.add(new CastOp(ValueType.flags()), translation.reshaped(site, reduced)));
    }
}
