package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.SliceOp;

/** SLICE of a constant box. */
final class SliceOperationLowering implements OperationLowering {
    private static final int BEGIN = OperationView.input(OperationType.SLICE, "begin");
    private static final int SIZE = OperationView.input(OperationType.SLICE, "size");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        return site.problem(op(site), 1);
    }

    private static SliceOp op(OperationView site) {
        ValueType in = site.type(0);
        int[] begin = site.ints(BEGIN);
        int[] size = site.ints(SIZE);
        int[] stride = new int[size.length];
        for (int i = 0; i < Math.min(size.length, in.rank()); i++) {
            size[i] = size[i] < 0 && begin.length > i ? in.dimension(i) - begin[i] : size[i];
            stride[i] = 1;
        }
        return new SliceOp(begin, size, stride);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        translation.result(site, op(site), translation.in(site, 0));
    }
}
