package org.torchnnapi.driver.cpu;

import java.util.List;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;

/** STRIDED_SLICE with constant numbers and masks. */
final class StridedSliceOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.STRIDED_SLICE);
    private static final int BEGIN = INPUTS.at("begin");
    private static final int END = INPUTS.at("end");
    private static final int STRIDES = INPUTS.at("strides");
    private static final int BEGIN_MASK = INPUTS.at("beginMask");
    private static final int END_MASK = INPUTS.at("endMask");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        try {
            int count = op(site).result(List.of(site.type(0))).count();
            return count == site.out().elementCount() ? null : Problem.of("output", site.out(), count + " elements");
        } catch (IllegalArgumentException e) {
            return Problem.ofMessage(e.getMessage());
        }
    }

    /** As the reference cuts positions to the tensor. */
    private static SliceOp op(OperationView site) {
        ValueType in = site.type(0);
        int[] begin = site.ints(BEGIN);
        int[] end = site.ints(END);
        int[] strides = site.ints(STRIDES);
        if (begin.length != in.rank() || end.length != in.rank() || strides.length != in.rank()) {
            throw new IllegalArgumentException("slice: of " + begin.length + " axes (expected: " + in.rank() + ")");
        }
        int[] size = new int[in.rank()];
        for (int i = 0; i < size.length; i++) {
            int extent = in.dimension(i);
            boolean forward = strides[i] > 0;
            int low = forward ? 0 : -1;
            int high = forward ? extent : extent - 1;
            boolean fromStart = (site.intValue(BEGIN_MASK) >> i & 1) != 0;
            boolean toEnd = (site.intValue(END_MASK) >> i & 1) != 0;
            int start = fromStart ? (forward ? low : high) : cut(begin[i], extent, low, high);
            int stop = toEnd ? (forward ? high : low) : cut(end[i], extent, low, high);
            int span = forward ? stop - start : start - stop;
            int step = Math.max(1, Math.abs(strides[i]));
            size[i] = Math.max(0, (span + step - 1) / step);
            begin[i] = start;
        }
        return new SliceOp(begin, size, strides);
    }

    private static int cut(int position, int extent, int low, int high) {
        long counted = position < 0 ? (long) position + extent : position;
        return (int) Math.max(low, Math.min(high, counted));
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        // Without the axes that shrink.
        translation.result(
                site, new ReshapeOp(site.out().dimensions()), translation.add(op(site), translation.in(site, 0)));
    }
}
