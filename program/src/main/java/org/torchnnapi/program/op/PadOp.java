package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.StridedAxes;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * A constant around a value. Zeros (zero points) before a convolution become its own padding.
 *
 * @param before elements added in front along each axis, >= 0
 * @param after elements added behind along each axis, >= 0
 * @param value a float, or of bytes the byte itself
 */
public record PadOp(int[] before, int[] after, float value) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.notInts("input", Require.only(inputs));
        int[] shape = in.shape().clone();
        boolean fits = before.length == shape.length && after.length == shape.length;
        for (int i = 0; fits && i < shape.length; i++) {
            fits = before[i] >= 0 && after[i] >= 0;
            shape[i] += before[i] + after[i];
        }
        if (!fits) {
            throw new IllegalArgumentException("padding: " + Arrays.toString(before) + " and " + Arrays.toString(after)
                    + " (expected: numbers >= 0 for each axis of " + in + ")");
        }
        return in.withShape(shape);
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output;
    }

    /**
     * Images lie as they did, but where channels are added to blocks, or values would stand beside the channels of one.
     */
    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage storage = actual[0];
        if (storage.isBlocked()) {
            int axis = ImageStorage.channelAxis(storage.order());
            return before[axis] + after[axis] == 0 && !storage.isPadded(inputs.get(0))
                    ? LayoutAssignment.all(1, storage)
                    : LayoutAssignment.declared(1);
        }
        return LayoutAssignment.all(1, storage);
    }

    @Override
    public Op expanded(int rank, int axis) {
        return new PadOp(ValueType.inserted(before, axis, 0), ValueType.inserted(after, axis, 0), value);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int[] dims = in.storage().lying(in.type().shape());
        int[] steps = StridedAxes.steps(out.storage().lying(out.type().shape()));
        int to = 0;
        for (int i = 0; i < before.length; i++) {
            to += before[i] * steps[in.storage().lyingAxis(i)];
        }
        StridedBlock copy = new StridedBlock(dims, 0, StridedAxes.steps(dims), to, steps).merged();
        int size = out.size();
        Step inside = copy.step(in, out);
        return new Step(1, memory -> {
            KernelPool.Task task = inside.binding().to(memory);
            Object target = out.array(memory);
            return (begin, end) -> {
                if (target instanceof float[] floats) {
                    Arrays.fill(floats, out.at(memory), out.at(memory) + size, value);
                } else {
                    Arrays.fill((byte[]) target, out.at(memory), out.at(memory) + size, (byte) value);
                }
                task.run(0, inside.units());
            };
        });
    }

    @Override
    public String label() {
        return "pad";
    }
}
