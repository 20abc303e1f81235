package org.torchnnapi.program.op;

import java.util.Arrays;
import org.torchnnapi.kernels.SoftmaxKernel;

/**
 * A softmax along the middle of {@code [outer][axis][inner]} floats in which what is all minus infinity gives zeros.
 */
final class SafeSoftmax {
    private SafeSoftmax() {}

    /** As {@link SoftmaxKernel#run}. */
    static void run(
            float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, float beta, int begin, int end) {
        int done = begin;
        for (int row = begin; row < end; row++) {
            boolean[] hidden = hidden(in, inOffset + row * axis * inner, axis, inner);
            if (hidden != null) {
                SoftmaxKernel.run(in, inOffset, out, outOffset, axis, inner, beta, done, row + 1);
                clear(hidden, out, outOffset + row * axis * inner, axis * inner);
                done = row + 1;
            }
        }
        SoftmaxKernel.run(in, inOffset, out, outOffset, axis, inner, beta, done, end);
    }

    /** Which columns hold nothing else; null if none does. */
    private static boolean[] hidden(float[] in, int from, int axis, int inner) {
        boolean[] hidden = null;
        for (int column = 0; column < inner; column++) {
            int k = 0;
            while (k < axis && in[from + k * inner + column] == Float.NEGATIVE_INFINITY) {
                k++;
            }
            if (k == axis) {
                hidden = hidden == null ? new boolean[inner] : hidden;
                hidden[column] = true;
            }
        }
        return hidden;
    }

    private static void clear(boolean[] columns, float[] out, int from, int count) {
        if (columns.length == 1) {
            Arrays.fill(out, from, from + count, 0f);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (columns[i % columns.length]) {
                out[from + i] = 0;
            }
        }
    }
}
