package org.torchnnapi.program.op;

import java.util.Arrays;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.ValueType;

/**
 * A value as {@code [outer][reduced][inner]}: what a reduction over adjacent axes sees.
 *
 * @param end the first axis behind those reduced
 */
record ReducedAxes(int first, int end, int outer, int reduced, int inner) {
    /**
     * @param axes negative ones count from the back
     * @throws IllegalArgumentException if an axis is not there, or one between them (of more than one element) is left
     *     out
     */
    static ReducedAxes of(ValueType type, int[] axes) {
        boolean[] reduced = reduced(type, axes);
        int first = 0;
        while (first < reduced.length && !reduced[first]) {
            first++;
        }
        int end = first;
        for (int i = first; i < reduced.length; i++) {
            if (!reduced[i]) {
                continue;
            }
            for (int between = end; between < i; between++) {
                if (type.dimension(between) != 1) {
                    throw new IllegalArgumentException(
                            "axes: " + Arrays.toString(axes) + " of " + type + " (expected: adjacent)");
                }
            }
            end = i + 1;
        }
        return new ReducedAxes(first, end, type.count(0, first), type.count(first, end), type.count(end, type.rank()));
    }

    private static boolean[] reduced(ValueType type, int[] axes) {
        boolean[] reduced = new boolean[type.rank()];
        for (int axis : axes) {
            reduced[Require.axis(axis, type.rank())] = true;
        }
        return reduced;
    }

    /**
     * What is left of a value.
     *
     * @param keep whether the axes stay, with one element each
     * @throws IllegalArgumentException as {@link #of}
     */
    static ValueType result(ValueType type, int[] axes, boolean keep) {
        of(type, axes);
        boolean[] reduced = reduced(type, axes);
        int[] shape = new int[type.rank()];
        int n = 0;
        for (int i = 0; i < shape.length; i++) {
            if (!reduced[i] || keep) {
                shape[n++] = reduced[i] ? 1 : type.dimension(i);
            }
        }
        return type.withShape(Arrays.copyOf(shape, n));
    }

    /** Runs of elements that become one each. */
    int runs() {
        return outer * inner;
    }

    /** Where a run begins; its elements are {@code inner} apart. */
    int first(int run) {
        return run / inner * reduced * inner + run % inner;
    }

    /** Whether height and width of images that lie so are reduced, and nothing else. */
    boolean isSpatial(ValueType type, ImageStorage storage) {
        ImageLayout order = storage.order();
        int height = order == ImageLayout.NCHW ? 2 : 1;
        return order != null && type.rank() == 4 && first == height && end == height + 2;
    }
}
