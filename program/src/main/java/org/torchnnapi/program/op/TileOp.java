package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.StridedAxes;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** A value repeated along each axis, {@code times[axis] >= 1}. */
public record TileOp(int[] times) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        boolean fits = times.length == in.rank();
        int[] shape = in.shape().clone();
        for (int i = 0; fits && i < shape.length; i++) {
            fits = times[i] >= 1;
            shape[i] *= times[i];
        }
        if (!fits) {
            throw new IllegalArgumentException(
                    "times: " + Arrays.toString(times) + " (expected: numbers >= 1 for each axis of " + in + ")");
        }
        return in.withShape(shape);
    }

    @Override
    public Step compile(Operands operands) {
        int[] shape = operands.in(0).type().shape();
        int[] steps = StridedAxes.steps(shape);
        int[] extents = new int[2 * shape.length];
        int[] from = new int[extents.length];
        for (int i = 0; i < shape.length; i++) {
            extents[2 * i] = times[i];
            extents[2 * i + 1] = shape[i];
            from[2 * i + 1] = steps[i];
        }
        return new StridedBlock(extents, 0, from, 0, StridedAxes.steps(extents))
                .merged()
                .step(operands.in(0), operands.out());
    }

    @Override
    public String label() {
        return "tile " + Arrays.toString(times);
    }
}
