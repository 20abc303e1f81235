package org.torchnnapi.kernels;

/** Softmax and its logarithm along one axis of {@code [outer][axis][inner]} floats. */
public final class Softmax {
    private Softmax() {
    }

    /**
     * {@code out = exp(beta * (x - max)) / sum}, for the outer indexes [begin, end). In and out may be the same.
     *
     * @param beta the slope, > 0
     */
    public static void run(float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, float beta, int begin, int end) {
        long reach = check(in, inOffset, out, outOffset, axis, inner, begin, end);
        if (reach == 0) {
            return;
        }
        for (int o = begin; o < end; o++) {
            for (int i = 0; i < inner; i++) {
                int base = o * axis * inner + i;
                float max = largest(in, inOffset + base, axis, inner);
                double sum = 0;
                for (int k = 0; k < axis; k++) {
                    float e = (float) Math.exp((in[inOffset + base + k * inner] - max) * beta);
                    out[outOffset + base + k * inner] = e;
                    sum += e;
                }
                float scale = (float) (1 / sum);
                for (int k = 0; k < axis; k++) {
                    out[outOffset + base + k * inner] *= scale;
                }
            }
        }
    }

    /** {@code out = beta * (x - max) - log(sum)}, for the outer indexes [begin, end). In and out may be the same. */
    public static void runLog(float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, float beta, int begin,
                              int end) {
        long reach = check(in, inOffset, out, outOffset, axis, inner, begin, end);
        if (reach == 0) {
            return;
        }
        for (int o = begin; o < end; o++) {
            for (int i = 0; i < inner; i++) {
                int base = o * axis * inner + i;
                float max = largest(in, inOffset + base, axis, inner);
                double sum = 0;
                for (int k = 0; k < axis; k++) {
                    sum += Math.exp((in[inOffset + base + k * inner] - max) * beta);
                }
                float log = (float) Math.log(sum);
                for (int k = 0; k < axis; k++) {
                    out[outOffset + base + k * inner] = (in[inOffset + base + k * inner] - max) * beta - log;
                }
            }
        }
    }

    private static long check(float[] in, int inOffset, float[] out, int outOffset, int axis, int inner, int begin, int end) {
        Check.atLeast("axis", axis, 0);
        Check.atLeast("inner", inner, 0);
        Check.range(begin, end, Integer.MAX_VALUE);
        long reach = (long) end * axis * inner;
        Check.room("input", in.length, inOffset, reach);
        Check.room("output", out.length, outOffset, reach);
        return reach;
    }

    private static float largest(float[] in, int base, int axis, int inner) {
        float max = Float.NEGATIVE_INFINITY;
        for (int k = 0; k < axis; k++) {
            max = Math.max(max, in[base + k * inner]);
        }
        return max;
    }
}
