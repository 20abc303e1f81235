package org.torchnnapi.kernels.internal.portable;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.ReductionKernel;

/**
 * Reductions and softmax of elements {@code step} apart. Sums have PyTorch's roundings (SumKernel.cpp, vectors of 32
 * bytes, one thread): a partial sum is a cascade, in which every {@code 2^p} additions its value goes up one of four
 * levels, {@code p = max(4, log2(additions) / 4)}.
 */
final class ReduceLoops {
    private static final int LEVELS = 4;
    private static final int WAYS = 4;
    private static final int VECTOR = 8;

    private ReduceLoops() {}

    static float neutral(ReductionKernel op) {
        return switch (op) {
            case SUM, MEAN -> 0;
            case MAX -> Float.NEGATIVE_INFINITY;
            case MIN -> Float.POSITIVE_INFINITY;
            case PROD -> 1;
        };
    }

    /** How all but sums take one element more. */
    static BinaryOp step(ReductionKernel op) {
        return switch (op) {
            case SUM, MEAN -> throw new IllegalArgumentException("reduction: " + op + " (expected: not a sum)");
            case MAX -> BinaryOp.MAX;
            case MIN -> BinaryOp.MIN;
            case PROD -> BinaryOp.MUL;
        };
    }

    /** The sum of elements side by side, in four vectors of eight partial sums. */
    static float sum(float[] in, int offset, int count) {
        int whole = count / VECTOR;
        if (whole == 0) {
            return ways(in, offset, 1, count, 1)[0];
        }
        int added = whole / WAYS * WAYS * VECTOR;
        float[] parts = cascade(in, offset, WAYS * VECTOR, whole / WAYS, WAYS * VECTOR);
        for (int i = added; i < whole * VECTOR; i++) {
            parts[i % VECTOR] += in[offset + i];
        }
        float sum = 0;
        for (int i = whole * VECTOR; i < count; i++) {
            sum += in[offset + i];
        }
        for (int lane = 0; lane < VECTOR; lane++) {
            sum += parts[lane] + parts[VECTOR + lane] + parts[2 * VECTOR + lane] + parts[3 * VECTOR + lane];
        }
        return sum;
    }

    /**
     * The sums of columns, whose elements are {@code step} apart: each its own, and behind the last whole group in four
     * partial sums.
     */
    static void sums(float[] in, int offset, int step, int axis, float[] out, int target, int inner) {
        int whole = inner >= VECTOR ? inner / (WAYS * VECTOR) * WAYS * VECTOR : inner / WAYS * WAYS;
        System.arraycopy(cascade(in, offset, step, axis, whole), 0, out, target, whole);
        System.arraycopy(ways(in, offset + whole, step, axis, inner - whole), 0, out, target + whole, inner - whole);
    }

    /** Four partial sums of rows, added up. */
    private static float[] ways(float[] in, int offset, int step, int axis, int width) {
        int each = axis / WAYS;
        float[] sum = cascade(in, offset, WAYS * step, each, width);
        for (int k = each * WAYS; k < axis; k++) {
            add(sum, 0, in, offset + k * step, width);
        }
        for (int way = 1; way < WAYS; way++) {
            add(sum, 0, cascade(in, offset + way * step, WAYS * step, each, width), 0, width);
        }
        return sum;
    }

    /**
     * A partial sum for each of {@code width} elements that begin {@code step} apart; the array is longer than that.
     */
    private static float[] cascade(float[] in, int offset, int step, int adds, int width) {
        int log = adds <= 2 ? 1 : 32 - Integer.numberOfLeadingZeros(adds - 1);
        int power = Math.max(4, log / LEVELS);
        int run = 1 << power;
        float[] level = new float[LEVELS * width];
        int i = 0;
        while (i + run <= adds) {
            for (int end = i + run; i < end; i++) {
                add(level, 0, in, offset + i * step, width);
            }
            for (int j = 1; j < LEVELS; j++) {
                add(level, j * width, level, (j - 1) * width, width);
                Arrays.fill(level, (j - 1) * width, j * width, 0);
                if ((i & (long) (run - 1) << j * power) != 0) {
                    break;
                }
            }
        }
        for (; i < adds; i++) {
            add(level, 0, in, offset + i * step, width);
        }
        for (int j = 1; j < LEVELS; j++) {
            add(level, 0, level, j * width, width);
        }
        return level;
    }

    private static void add(float[] sum, int at, float[] in, int offset, int width) {
        for (int i = 0; i < width; i++) {
            sum[at + i] += in[offset + i];
        }
    }

    static void softmax(float[] in, int source, float[] out, int target, int count, int step, float beta) {
        float max = largest(in, source, count, step);
        double sum = 0;
        for (int k = 0; k < count; k++) {
            float e = (float) Math.exp((in[source + k * step] - max) * beta);
            out[target + k * step] = e;
            sum += e;
        }
        float scale = (float) (1 / sum);
        for (int k = 0; k < count; k++) {
            out[target + k * step] *= scale;
        }
    }

    static void logSoftmax(float[] in, int source, float[] out, int target, int count, int step, float beta) {
        float max = largest(in, source, count, step);
        double sum = 0;
        for (int k = 0; k < count; k++) {
            sum += Math.exp((in[source + k * step] - max) * beta);
        }
        float log = (float) Math.log(sum);
        for (int k = 0; k < count; k++) {
            out[target + k * step] = (in[source + k * step] - max) * beta - log;
        }
    }

    private static float largest(float[] in, int base, int count, int step) {
        float max = Float.NEGATIVE_INFINITY;
        for (int k = 0; k < count; k++) {
            max = Math.max(max, in[base + k * step]);
        }
        return max;
    }
}
