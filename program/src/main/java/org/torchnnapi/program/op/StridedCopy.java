package org.torchnnapi.program.op;

import java.util.Arrays;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Step;

/**
 * Moves elements from a regular pattern of places to another.
 *
 * @param dims how many elements along each axis, at least one axis
 * @param fromSteps elements between neighbours along each axis in the input
 * @param toSteps the same in the output
 */
record StridedCopy(int[] dims, int from, int[] fromSteps, int to, int[] toSteps) {
    /** Elements between neighbours along each axis of a value without gaps. */
    static int[] steps(int[] dims) {
        int[] steps = new int[dims.length];
        int step = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            steps[i] = step;
            step *= dims[i];
        }
        return steps;
    }

    /** The same copy with axes of one element left out and those that run on in both patterns made one. */
    StridedCopy merged() {
        int[] d = new int[Math.max(1, dims.length)];
        int[] f = new int[d.length];
        int[] t = new int[d.length];
        int n = 0;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] == 1) {
                continue;
            }
            if (n > 0 && f[n - 1] == dims[i] * fromSteps[i] && t[n - 1] == dims[i] * toSteps[i]) {
                d[n - 1] *= dims[i];
                f[n - 1] = fromSteps[i];
                t[n - 1] = toSteps[i];
            } else {
                d[n] = dims[i];
                f[n] = fromSteps[i];
                t[n++] = toSteps[i];
            }
        }
        if (n == 0) {
            return new StridedCopy(new int[] {1}, from, new int[] {1}, to, new int[] {1});
        }
        return new StridedCopy(Arrays.copyOf(d, n), from, Arrays.copyOf(f, n), to, Arrays.copyOf(t, n));
    }

    /** Rows of the innermost axis. */
    int rows() {
        int rows = 1;
        for (int i = 0; i < dims.length - 1; i++) {
            rows *= dims[i];
        }
        return rows;
    }

    Step step(Operand in, Operand out) {
        return new Step(rows(), memory -> {
            if (in.isFloat()) {
                float[] source = in.floats(memory);
                float[] target = out.floats(memory);
                return (begin, end) -> run(source, in.at(memory), target, out.at(memory), begin, end);
            }
            byte[] source = in.bytes(memory);
            byte[] target = out.bytes(memory);
            return (begin, end) -> run(source, in.at(memory), target, out.at(memory), begin, end);
        });
    }

    void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        int last = dims.length - 1;
        for (int row = begin; row < end; row++) {
            int source = inOffset + from + at(row, dims, fromSteps);
            int target = outOffset + to + at(row, dims, toSteps);
            if (fromSteps[last] == 1 && toSteps[last] == 1) {
                System.arraycopy(in, source, out, target, dims[last]);
            } else {
                move(in, source, fromSteps[last], out, target, toSteps[last], dims[last]);
            }
        }
    }

    void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        int last = dims.length - 1;
        for (int row = begin; row < end; row++) {
            int source = inOffset + from + at(row, dims, fromSteps);
            int target = outOffset + to + at(row, dims, toSteps);
            if (fromSteps[last] == 1 && toSteps[last] == 1) {
                System.arraycopy(in, source, out, target, dims[last]);
            } else {
                move(in, source, fromSteps[last], out, target, toSteps[last], dims[last]);
            }
        }
    }

    /** How far the start of a row of that shape lies from the first one's. */
    static int at(int row, int[] dims, int[] steps) {
        int at = 0;
        int rest = row;
        for (int i = dims.length - 2; i >= 0; i--) {
            at += rest % dims[i] * steps[i];
            rest /= dims[i];
        }
        return at;
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
}
