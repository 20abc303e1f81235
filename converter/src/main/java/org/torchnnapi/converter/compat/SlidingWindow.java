package org.torchnnapi.converter.compat;

import java.util.Arrays;
import java.util.function.IntSupplier;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.converter.shape.SizeExpression;
import org.torchnnapi.tensor.WindowAxis;

/**
 * A sliding window over height and width; arrays hold (height, width).
 *
 * @param padBefore padding above and left
 * @param padAfter padding below and right
 */
record SlidingWindow(int[] kernel, int[] stride, int[] padBefore, int[] padAfter) {
    static final int HEIGHT = 0;
    static final int WIDTH = 1;

    /** Equal padding on both sides. */
    static SlidingWindow of(int[] kernel, int[] stride, int[] padding) {
        requirePair("kernel size", kernel, 1);
        requirePair("stride", stride, 1);
        requirePair("padding", padding, 0);
        return new SlidingWindow(kernel.clone(), stride.clone(), padding.clone(), padding.clone());
    }

    /** One number stands for both directions; none for {@code otherwise}. */
    static int[] pair(int[] values, int[] otherwise) {
        return switch (values.length) {
            case 0 -> otherwise;
            case 1 -> new int[] {values[0], values[0]};
            default -> values;
        };
    }

    static void requireNoDilation(int[] dilation) {
        if (Arrays.stream(dilation).anyMatch(d -> d != 1)) {
            throw new Refused(
                    "windows must not be dilated",
                    "dilation " + Arrays.toString(dilation),
                    "1",
                    "use a larger kernel instead, with zeros between its weights");
        }
    }

    boolean isPadded() {
        return Arrays.stream(padBefore).anyMatch(p -> p != 0)
                || Arrays.stream(padAfter).anyMatch(p -> p != 0);
    }

    SlidingWindow withPadAfter(int[] padding) {
        return new SlidingWindow(kernel, stride, padBefore, padding);
    }

    SlidingWindow withoutPadding() {
        return new SlidingWindow(kernel, stride, new int[2], new int[2]);
    }

    /** Windows that fit into {@code size}; open sizes stay open. */
    int count(int size, int axis) {
        return size <= 0
                ? size
                : fitting(
                        () -> WindowAxis.places(size, kernel[axis], stride[axis], 1, padBefore[axis], padAfter[axis]),
                        size,
                        axis);
    }

    /** What {@code size} transposed windows cover; open sizes stay open. */
    int extent(int size, int axis) {
        return size <= 0
                ? size
                : fitting(
                        () -> WindowAxis.size(size, kernel[axis], stride[axis], 1, padBefore[axis], padAfter[axis], 0),
                        size,
                        axis);
    }

    SizeExpression countExpression(int operand, int axis) {
        return new SizeExpression.WindowCount(
                new SizeExpression.OperandSize(operand, axis + 2),
                kernel[axis],
                padBefore[axis],
                padAfter[axis],
                stride[axis]);
    }

    SizeExpression extentExpression(int operand, int axis) {
        return new SizeExpression.WindowExtent(
                new SizeExpression.OperandSize(operand, axis + 2),
                stride[axis],
                kernel[axis],
                padBefore[axis],
                padAfter[axis]);
    }

    /**
     * This window with so much more padding at the end that the last partial window counts, as PyTorch's ceil mode has
     * it: windows that would start in the padding do not count.
     *
     * @param image the input, whose height and width must be fixed
     */
    SlidingWindow ceil(TensorOperand image) {
        int[] after = padAfter.clone();
        for (int axis = 0; axis < 2; axis++) {
            if (!image.isFixed(axis + 2)) {
                throw new Refused(
                        "ceil_mode needs fixed sizes",
                        image.text(),
                        "fixed height and width",
                        "give the input a fixed shape");
            }
            int size = image.size(axis + 2);
            long room = (long) size - kernel[axis] + padBefore[axis] + padAfter[axis];
            long windows = -Math.floorDiv(-room, (long) stride[axis]) + 1;
            if ((windows - 1) * stride[axis] >= (long) size + padBefore[axis]) {
                windows--;
            }
            long more = after[axis] + Math.max(0, (windows - 1) * stride[axis] - room);
            after[axis] = fitting(() -> Math.toIntExact(more), size, axis);
        }
        return withPadAfter(after);
    }

    /**
     * The eight immediate operands left, right, top, bottom, stride width and height, and if {@code withKernel} width
     * and height.
     */
    int[] immediates(ModelAssembler model, boolean withKernel) {
        int[] out = new int[withKernel ? 8 : 6];
        out[0] = model.int32(padBefore[WIDTH]);
        out[1] = model.int32(padAfter[WIDTH]);
        out[2] = model.int32(padBefore[HEIGHT]);
        out[3] = model.int32(padAfter[HEIGHT]);
        out[4] = model.int32(stride[WIDTH]);
        out[5] = model.int32(stride[HEIGHT]);
        if (withKernel) {
            out[6] = model.int32(kernel[WIDTH]);
            out[7] = model.int32(kernel[HEIGHT]);
        }
        return out;
    }

    private static int fitting(IntSupplier count, int size, int axis) {
        try {
            return count.getAsInt();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new Refused(
                    "the window must fit into the feature map",
                    (axis == HEIGHT ? "height " : "width ") + size + ", " + e.getMessage(),
                    "a kernel no larger than the padded input",
                    "");
        }
    }

    private static void requirePair(String name, int[] values, int least) {
        if (values.length != 2 || values[0] < least || values[1] < least) {
            throw new Refused(
                    "windows have two dimensions", name + " " + Arrays.toString(values), "two numbers >= " + least, "");
        }
    }
}
