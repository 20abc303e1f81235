package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** Two values of which one, or each in part, repeats along the other's axes, as NumPy has it. */
final class Broadcasting {
    /** Elements of a row that pay for a kernel's call. */
    private static final int SHORT_ROW = 32;

    /** Work on {@code count} results from {@code out} on; a step is 1, or 0 where the input repeats. */
    @FunctionalInterface
    interface Row {
        void run(int a, int stepA, int b, int stepB, int out, int count);
    }

    @FunctionalInterface
    interface RowBinding {
        Row to(RunMemory memory);
    }

    private Broadcasting() {}

    /** @throws IllegalArgumentException if the shapes do not go together */
    static int[] shape(ValueType a, ValueType b) {
        int rank = Math.max(a.rank(), b.rank());
        int[] shape = new int[rank];
        for (int i = 1; i <= rank; i++) {
            int dimA = i <= a.rank() ? a.dimension(a.rank() - i) : 1;
            int dimB = i <= b.rank() ? b.dimension(b.rank() - i) : 1;
            if (dimA != dimB && dimA != 1 && dimB != 1) {
                throw new IllegalArgumentException("shapes: " + Arrays.toString(a.shape()) + " and "
                        + Arrays.toString(b.shape()) + " (expected: equal, or 1, from the last dimension on)");
            }
            shape[rank - i] = dimA == 1 ? dimB : dimA;
        }
        return shape;
    }

    static ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return Arrays.equals(inputs.get(input).shape(), shape(inputs.get(0), inputs.get(1)))
                ? output
                : ImageStorage.DECLARED;
    }

    /**
     * Alike where the shapes are equal; an input of one element, or of one a channel, lies as declared beside images in
     * any storage.
     */
    static LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, boolean exact) {
        int[] shape = shape(inputs.get(0), inputs.get(1));
        if (Arrays.equals(inputs.get(0).shape(), inputs.get(1).shape())) {
            return LayoutAssignment.alike(inputs, actual, exact);
        }
        for (int whole = 0; whole < 2; whole++) {
            ImageStorage storage = actual[whole];
            ValueType type = inputs.get(whole);
            if (storage != ImageStorage.DECLARED
                    && Arrays.equals(type.shape(), shape)
                    && !(exact && storage.isPadded(type))
                    && (inputs.get(1 - whole).count() == 1
                            || isPerChannel(inputs.get(1 - whole), type, ImageStorage.channelAxis(storage.order())))) {
                ImageStorage[] storages = {ImageStorage.DECLARED, ImageStorage.DECLARED};
                storages[whole] = storage;
                return new LayoutAssignment(storages, storage);
            }
        }
        return LayoutAssignment.declared(2);
    }

    /**
     * Whether {@code part} has a value for every channel of {@code whole}, the same for all its images or one set for
     * each.
     */
    static boolean isPerChannel(ValueType part, ValueType whole, int channelAxis) {
        int missing = whole.rank() - part.rank();
        if (whole.rank() != 4 || missing < 0) {
            return false;
        }
        boolean fits = true;
        for (int axis = 1; axis < 4; axis++) {
            int dimension = axis < missing ? 1 : part.dimension(axis - missing);
            fits &= dimension == (axis == channelAxis ? whole.dimension(axis) : 1);
        }
        return fits;
    }

    /** How many times all elements of {@code part}, one behind the other, make {@code whole}; 0 if they do not. */
    static int times(ValueType part, ValueType whole) {
        boolean equal = true;
        for (int i = 1; i <= whole.rank(); i++) {
            int dimension = i <= part.rank() ? part.dimension(part.rank() - i) : 1;
            equal &= dimension == whole.dimension(whole.rank() - i);
            if (!equal && dimension != 1) {
                return 0;
            }
        }
        return whole.count() / part.count();
    }

    /** How many times each element of {@code part}, before the next is, makes {@code whole}; 0 if they do not. */
    static int timesEach(ValueType part, ValueType whole) {
        boolean equal = true;
        for (int axis = 0; axis < whole.rank(); axis++) {
            int missing = whole.rank() - part.rank();
            int dimension = axis < missing ? 1 : part.dimension(axis - missing);
            equal &= dimension == whole.dimension(axis);
            if (!equal && dimension != 1) {
                return 0;
            }
        }
        return whole.count() / part.count();
    }

    /** Rows of the declared shape. */
    static Step rows(Operands operands, RowBinding binding) {
        PlacedValue a = operands.in(0);
        PlacedValue b = operands.in(1);
        PlacedValue out = operands.out();
        int[] dims = out.type().rank() == 0 ? new int[] {1} : out.type().shape();
        int[] stepsA = steps(a.type().shape(), dims);
        int[] stepsB = steps(b.type().shape(), dims);
        int last = dims.length - 1;
        int inner = dims[last];
        return new Step(out.type().count() / inner, memory -> {
            Row work = binding.to(memory);
            return (begin, end) -> {
                for (int row = begin; row < end; row++) {
                    work.run(
                            a.at(memory) + StridedBlock.at(row, dims, stepsA),
                            stepsA[last],
                            b.at(memory) + StridedBlock.at(row, dims, stepsB),
                            stepsB[last],
                            out.at(memory) + row * inner,
                            inner);
                }
            };
        });
    }

    /** Floats that are brought together: the nearest cache has them beside what is read and written meanwhile. */
    private static int largestBlock() {
        return Machine.current().firstCache() / 8 / Float.BYTES;
    }

    /**
     * The first of the axes whose elements are better brought together than taken row by row, which are too short to
     * pay for a kernel's call; -1 if rows are long or no axes fit together.
     */
    static int blockAxis(int[] dims) {
        int axis = dims.length - 1;
        if (axis < 1 || dims[axis] >= SHORT_ROW) {
            return -1;
        }
        for (long size = dims[axis]; axis > 0 && size * dims[axis - 1] <= largestBlock(); axis--) {
            size *= dims[axis - 1];
        }
        return axis < dims.length - 1 ? axis : -1;
    }

    /**
     * Where the elements of the axes from {@code axis} on lie, from the first one's place; null if one behind the
     * other.
     */
    static int[] places(int[] dims, int[] steps, int axis) {
        int size = 1;
        for (int i = axis; i < dims.length; i++) {
            size *= dims[i];
        }
        int[] places = new int[size];
        boolean behind = true;
        for (int i = 0; i < size; i++) {
            int rest = i;
            for (int at = dims.length - 1; at >= axis; at--) {
                places[i] += rest % dims[at] * steps[at];
                rest /= dims[at];
            }
            behind &= places[i] == i;
        }
        return behind ? null : places;
    }

    /** Elements between neighbours along each axis of the output; 0 where the input repeats. */
    static int[] steps(int[] dims, int[] out) {
        int[] steps = new int[out.length];
        int step = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            steps[out.length - dims.length + i] = dims[i] == 1 ? 0 : step;
            step *= dims[i];
        }
        return steps;
    }
}
