package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.SliceOp;

/** SPLIT along a constant axis: a slice for each output. */
final class SplitOperationLowering implements OperationLowering {
    private static final int AXIS = OperationView.input(OperationType.SPLIT, "axis");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        int extent = site.in(0).dimension(axis(site));
        int parts = site.operation().outputCount();
        return extent % parts == 0 ? null : Problem.of("size of axis " + axis(site), extent, "a multiple of " + parts);
    }

    private static int axis(OperationView site) {
        int axis = site.intValue(AXIS);
        return axis < 0 ? axis + site.in(0).rank() : axis;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int axis = axis(site);
        ValueType in = site.type(0);
        int parts = site.operation().outputCount();
        int size = in.dimension(axis) / parts;
        for (int i = 0; i < parts; i++) {
            translation.result(
                    site, i, translation.add(SliceOp.of(in, axis, i * size, (i + 1) * size), translation.in(site, 0)));
        }
    }
}
