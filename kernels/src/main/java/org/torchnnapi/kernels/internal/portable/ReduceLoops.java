package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Reduction;

/** Reductions and softmax of elements {@code step} apart. */
final class ReduceLoops {
    private ReduceLoops() {
    }

    static float neutral(Reduction op) {
        return switch (op) {
            case SUM, MEAN -> 0;
            case MAX -> Float.NEGATIVE_INFINITY;
            case MIN -> Float.POSITIVE_INFINITY;
            case PROD -> 1;
        };
    }

    static BinaryOp step(Reduction op) {
        return switch (op) {
            case SUM, MEAN -> BinaryOp.ADD;
            case MAX -> BinaryOp.MAX;
            case MIN -> BinaryOp.MIN;
            case PROD -> BinaryOp.MUL;
        };
    }

    static double sum(float[] in, int offset, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += in[offset + i];
        }
        return sum;
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
