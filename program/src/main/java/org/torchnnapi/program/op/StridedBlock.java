package org.torchnnapi.program.op;

import org.torchnnapi.kernels.StridedAxes;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;

/**
 * Moves elements from a regular pattern of places to another.
 *
 * @param dims how many elements along each axis, at least one axis
 * @param fromSteps elements between neighbours along each axis in the input
 * @param toSteps the same in the output
 */
record StridedBlock(int[] dims, int from, int[] fromSteps, int to, int[] toSteps) {
    /** The same copy with axes of one element left out and those that run on in both patterns made one. */
    StridedBlock merged() {
        StridedAxes axes = new StridedAxes(dims, fromSteps, toSteps).merged();
        if (axes.extents().length == 0) {
            return new StridedBlock(new int[] {1}, from, new int[] {1}, to, new int[] {1});
        }
        return new StridedBlock(axes.extents(), from, axes.inSteps(), to, axes.outSteps());
    }

    /** Rows of the innermost axis. */
    int rows() {
        int rows = 1;
        for (int i = 0; i < dims.length - 1; i++) {
            rows *= dims[i];
        }
        return rows;
    }

    Step step(PlacedValue in, PlacedValue out) {
        return new Step(rows(), memory -> {
            Object source = in.array(memory);
            Object target = out.array(memory);
            return (begin, end) -> run(source, in.at(memory), target, out.at(memory), begin, end);
        });
    }

    /** Moves rows [begin, end) between two arrays of one kind: {@code float[]}, {@code int[]} or {@code byte[]}. */
    void run(Object in, int inOffset, Object out, int outOffset, int begin, int end) {
        int last = dims.length - 1;
        for (int row = begin; row < end; row++) {
            int source = inOffset + from + at(row, dims, fromSteps);
            int target = outOffset + to + at(row, dims, toSteps);
            if (fromSteps[last] == 1 && toSteps[last] == 1) {
                System.arraycopy(in, source, out, target, dims[last]);
            } else if (in instanceof float[] floats) {
                move(floats, source, fromSteps[last], (float[]) out, target, toSteps[last], dims[last]);
            } else if (in instanceof int[] ints) {
                move(ints, source, fromSteps[last], (int[]) out, target, toSteps[last], dims[last]);
            } else {
                move((byte[]) in, source, fromSteps[last], (byte[]) out, target, toSteps[last], dims[last]);
            }
        }
    }

    /** How far the start of a row of that shape lies from the first one's. */
    static int at(int row, int[] dims, int[] steps) {
        return StridedAxes.place(row, dims, dims.length - 1, steps);
    }

    private static void move(float[] in, int source, int fromStep, float[] out, int target, int toStep, int count) {
        for (int i = 0; i < count; i++) {
            out[target + i * toStep] = in[source + i * fromStep];
        }
    }

    private static void move(byte[] in, int source, int fromStep, byte[] out, int target, int toStep, int count) {
        for (int i = 0; i < count; i++) {
            out[target + i * toStep] = in[source + i * fromStep];
        }
    }

    private static void move(int[] in, int source, int fromStep, int[] out, int target, int toStep, int count) {
        for (int i = 0; i < count; i++) {
            out[target + i * toStep] = in[source + i * fromStep];
        }
    }
}
