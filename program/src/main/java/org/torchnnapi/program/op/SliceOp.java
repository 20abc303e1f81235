package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.StridedAxes;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Along each axis the elements {@code begin, begin + stride, ...}, {@code size} of them. No work where they are
 * adjacent.
 *
 * @param stride not 0; negative walks back
 */
public record SliceOp(int[] begin, int[] size, int[] stride) implements Op {
    /** The elements [from, to) along one axis and all along the others. */
    public static SliceOp of(ValueType type, int axis, int from, int to) {
        int[] begin = new int[type.rank()];
        int[] size = type.shape().clone();
        int[] stride = new int[type.rank()];
        Arrays.fill(stride, 1);
        begin[axis] = from;
        size[axis] = to - from;
        return new SliceOp(begin, size, stride);
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.only(inputs);
        int rank = in.rank();
        if (begin.length != rank || size.length != rank || stride.length != rank) {
            throw new IllegalArgumentException("slice: of " + begin.length + ", " + size.length + " and "
                    + stride.length + " axes (expected: " + rank + ")");
        }
        for (int i = 0; i < rank; i++) {
            long end = begin[i] + (size[i] - 1L) * stride[i];
            if (begin[i] < 0 || begin[i] >= in.dimension(i) || end < 0 || end >= in.dimension(i) || stride[i] == 0) {
                throw new IllegalArgumentException("slice of axis " + i + ": " + size[i] + " from " + begin[i] + " by "
                        + stride[i] + " (expected: within the " + in.dimension(i) + " there are, a step other than 0)");
            }
        }
        return in.withShape(size);
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage storage = actual[0];
        if (storage.isBlocked()) {
            int axis = ImageStorage.channelAxis(storage.order());
            int block = Kernels.channelBlock();
            boolean all = size[axis] == inputs.get(0).dimension(axis) && stride[axis] == 1;
            boolean whole = stride[axis] == 1 && begin[axis] % block == 0 && size[axis] % block == 0;
            return all || whole ? LayoutAssignment.all(1, storage) : LayoutAssignment.declared(1);
        }
        return LayoutAssignment.all(1, storage);
    }

    /** The copy, over the dimensions as they lie. */
    private StridedBlock copy(Operands operands) {
        ImageStorage storage = operands.in(0).storage();
        int[] lying = storage.lying(operands.in(0).type().shape());
        int[] dims = storage.lying(operands.out().type().shape());
        int[] inSteps = StridedAxes.steps(lying);
        int[] steps = inSteps.clone();
        int from = 0;
        for (int axis = 0; axis < begin.length; axis++) {
            int at = storage.lyingAxis(axis);
            boolean blocks = storage.isBlocked() && axis == ImageStorage.channelAxis(storage.order());
            from += (blocks ? begin[axis] / Kernels.channelBlock() : begin[axis]) * inSteps[at];
            steps[at] = stride[axis] * inSteps[at];
        }
        return new StridedBlock(dims, from, steps, 0, StridedAxes.steps(dims)).merged();
    }

    @Override
    public Op expanded(int rank, int axis) {
        return new SliceOp(
                ValueType.inserted(begin, axis, 0),
                ValueType.inserted(size, axis, 1),
                ValueType.inserted(stride, axis, 1));
    }

    @Override
    public int view(Operands operands) {
        StridedBlock copy = copy(operands);
        return copy.dims().length == 1 && (copy.fromSteps()[0] == 1 || copy.dims()[0] == 1) ? copy.from() : -1;
    }

    @Override
    public Step compile(Operands operands) {
        return copy(operands).step(operands.in(0), operands.out());
    }

    @Override
    public String label() {
        return "slice";
    }
}
