package org.torchnnapi.nnapi.op;

/** Whole operands as arrays of real numbers, for kernels that read an element many times. */
final class Reals {
    private Reals() {}

    /** All elements of an input, or null where it is left out. */
    static float[] read(OperationContext operation, int input) {
        if (!operation.has(input)) {
            return null;
        }
        FloatView view = operation.floats(input);
        float[] values = new float[operation.count(input)];
        for (int i = 0; i < values.length; i++) {
            values[i] = view.get(i);
        }
        return values;
    }

    /** Stores all elements of an output. */
    static void write(ExecutionContext operation, int output, float[] values) {
        FloatView view = operation.outFloats(output);
        for (int i = 0; i < values.length; i++) {
            view.set(i, values[i]);
        }
    }

    /** The sum of {@code count} products, in double. */
    static double dot(float[] a, int atA, float[] b, int atB, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += (double) a[atA + i] * b[atB + i];
        }
        return sum;
    }
}
