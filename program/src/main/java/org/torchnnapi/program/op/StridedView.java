package org.torchnnapi.program.op;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.StridedAxes;
import org.torchnnapi.program.ValueType;

/**
 * Elements of a value, seen in another shape or order without being moved.
 *
 * @param shape how many along each axis, outermost first
 * @param offset of the first among the value's elements
 * @param steps elements between neighbours along each axis
 */
public record StridedView(int[] shape, int offset, int[] steps) {
    /** All elements of a value, as they are. */
    public static StridedView of(ValueType type) {
        return new StridedView(type.shape(), 0, StridedAxes.steps(type.shape()));
    }

    /** The axes in another order: by the axis of the result that of this one. */
    public StridedView turned(int... permutation) {
        int[] turnedShape = new int[permutation.length];
        int[] turnedSteps = new int[permutation.length];
        for (int i = 0; i < permutation.length; i++) {
            turnedShape[i] = shape[permutation[i]];
            turnedSteps[i] = steps[permutation[i]];
        }
        return new StridedView(turnedShape, offset, turnedSteps);
    }

    /** The elements that a slice takes. */
    public StridedView sliced(SliceOp slice) {
        int first = offset;
        int[] slicedSteps = new int[steps.length];
        for (int i = 0; i < steps.length; i++) {
            first += slice.begin()[i] * steps[i];
            slicedSteps[i] = slice.stride()[i] * steps[i];
        }
        return new StridedView(slice.size(), first, slicedSteps);
    }

    /** As many elements in their order under another shape; null where that needs them to be moved first. */
    public StridedView shaped(int... other) {
        List<Integer> made = new ArrayList<>();
        int left = 1;
        int step = 1;
        int next = 0;
        for (int size : other) {
            while (left < size || left % size != 0) {
                if (next == shape.length) {
                    return null;
                }
                int extent = shape[next];
                int following = steps[next++];
                if (extent == 1) {
                    continue;
                }
                if (left != 1 && step != extent * following) {
                    return null;
                }
                left *= extent;
                step = following;
            }
            left /= size;
            made.add(left * step);
        }
        return new StridedView(
                other, offset, made.stream().mapToInt(Integer::intValue).toArray());
    }

    /** How many matrices there are in the last two axes. */
    int matrices() {
        int count = 1;
        for (int axis = 0; axis < shape.length - 2; axis++) {
            count *= shape[axis];
        }
        return count;
    }

    /** Where a matrix begins, counted over all axes but the last two; a single one is every one. */
    int matrix(int number) {
        return offset + StridedAxes.place(number, shape, shape.length - 2, steps);
    }

    int rows() {
        return shape[shape.length - 2];
    }

    int columns() {
        return shape[shape.length - 1];
    }

    int rowStep() {
        return steps[shape.length - 2];
    }

    /** Whether elements beside each other along the last axis are so among the value's. */
    public boolean hasAdjacentColumns() {
        return columns() == 1 || steps[shape.length - 1] == 1;
    }

    /** The element farthest back. */
    int last() {
        int last = offset;
        for (int axis = 0; axis < shape.length; axis++) {
            last += (shape[axis] - 1) * Math.max(0, steps[axis]);
        }
        return last;
    }

    /** The first element from the front. */
    int first() {
        int first = offset;
        for (int axis = 0; axis < shape.length; axis++) {
            first += (shape[axis] - 1) * Math.min(0, steps[axis]);
        }
        return first;
    }
}
