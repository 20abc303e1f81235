package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.SliceOp;

/** SLICE of a constant box. */
final class SliceKind implements Kind {
    private static final int BEGIN = Site.input(OperationType.SLICE, "begin");
    private static final int SIZE = Site.input(OperationType.SLICE, "size");

    @Override
    public Problem typeRefusal(Site site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public Problem refusal(Site site) {
        return site.problem(op(site), 1);
    }

    private static SliceOp op(Site site) {
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
    public void translate(Site site, Translation translation) {
        translation.result(site, op(site), translation.in(site, 0));
    }
}
