package org.torchnnapi.converter.lower;

import java.util.Arrays;

/** A sliding window over rows and columns. */
record LoweringFrame(Axis rows, Axis columns) {
    /**
     * One direction of a window.
     *
     * @param before padding above or left
     * @param after padding below or right
     */
    record Axis(int kernel, int stride, int before, int after, int dilation) {
        private int reach() {
            return dilation * (kernel - 1) + 1;
        }

        /** Windows that fit into {@code size}. */
        int count(int size) {
            int room = size + before + after - reach();
            if (room < 0) {
                throw new IllegalArgumentException(
                        "size: " + size + " (expected: no less than the window's, with its padding)");
            }
            return room / stride + 1;
        }

        /** What {@code size} transposed windows cover. */
        int extent(int size) {
            return (size - 1) * stride + reach() - before - after;
        }

        /**
         * With as much more padding at the end as makes the last partial window count, unless it would start in the
         * padding.
         */
        Axis ceil(int size) {
            int room = size + before + after - reach();
            int windows = -Math.floorDiv(-room, stride) + 1;
            if ((windows - 1) * stride >= size + before) {
                windows--;
            }
            return new Axis(kernel, stride, before, after + Math.max(0, (windows - 1) * stride - room), dilation);
        }

        private boolean isSingle() {
            return kernel == 1 && stride == 1 && before + after == 0;
        }

        /** With no more padding than another has. */
        Axis within(Axis other) {
            return new Axis(kernel, stride, Math.min(before, other.before), Math.min(after, other.after), dilation);
        }

        /** With what is left of the padding once the image has another's. */
        Axis without(Axis other) {
            return new Axis(kernel, stride, before - other.before, after - other.after, dilation);
        }
    }

    /** Lists of one or two numbers for both directions, as PyTorch has them; an empty stride is the kernel. */
    static LoweringFrame of(int[] kernel, int[] stride, int[] padding, int[] dilation) {
        int[] steps = stride.length == 0 ? kernel : stride;
        return new LoweringFrame(axis(0, kernel, steps, padding, dilation), axis(1, kernel, steps, padding, dilation));
    }

    private static Axis axis(int index, int[] kernel, int[] stride, int[] padding, int[] dilation) {
        int pad = at(padding, index);
        Axis axis = new Axis(at(kernel, index), at(stride, index), pad, pad, at(dilation, index));
        if (axis.kernel() < 1
                || axis.stride() < 1
                || pad < 0
                || axis.dilation() < 1
                || (long) axis.dilation() * axis.kernel() > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("window: " + Arrays.toString(kernel) + " stride "
                    + Arrays.toString(stride) + " (expected: numbers of 1 or more)");
        }
        return axis;
    }

    private static int at(int[] values, int index) {
        if (values.length != 1 && values.length != 2) {
            throw new IllegalArgumentException(
                    "window: " + Arrays.toString(values) + " (expected: one or two numbers)");
        }
        return values[values.length == 1 ? 0 : index];
    }

    /** Whether it leaves all as it is: one element, of each in turn. */
    boolean isSingle() {
        return rows.isSingle() && columns.isSingle();
    }

    boolean isPadded() {
        return rows.before() + rows.after() + columns.before() + columns.after() != 0;
    }

    boolean isDilated() {
        return rows.dilation() != 1 || columns.dilation() != 1;
    }

    LoweringFrame unpadded() {
        return new LoweringFrame(rows.without(rows), columns.without(columns));
    }

    LoweringFrame ceil(int height, int width) {
        return new LoweringFrame(rows.ceil(height), columns.ceil(width));
    }
}
