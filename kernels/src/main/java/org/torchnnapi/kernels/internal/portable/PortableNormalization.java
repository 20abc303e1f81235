package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.internal.NormalizationProvider;

/** Normalizations on every JVM, sums in double. */
public final class PortableNormalization implements NormalizationProvider {
    @Override
    public void rows(
            boolean each,
            int groups,
            int runs,
            int run,
            float epsilon,
            float[] factors,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        int count = runs * run;
        int turn = each ? count : runs;
        for (int row = begin; row < end; row++) {
            int from = inOffset + row * count;
            int to = outOffset + row * count;
            double mean = sum(in, from, count) / count;
            double factor = inverseDeviation(squares(in, from, count, mean) / count, epsilon);
            int scale = row % groups * turn;
            int shift = scale + factors.length / 2;
            if (each) {
                for (int i = 0; i < count; i++) {
                    out[to + i] = (float) ((in[from + i] - mean) * factor) * factors[scale + i] + factors[shift + i];
                }
                continue;
            }
            for (int r = 0; r < runs; r++) {
                normalize(
                        in,
                        from + r * run,
                        out,
                        to + r * run,
                        run,
                        1,
                        mean,
                        factor * factors[scale + r],
                        factors[shift + r]);
            }
        }
    }

    @Override
    public void blocks(
            int size,
            int block,
            int pixels,
            float epsilon,
            float[] factors,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        int channels = Math.max(size, block);
        for (int first = begin * channels; first < end * channels; first += size) {
            double sum = 0;
            for (int c = first; c < first + size; c++) {
                int at = inOffset + c / block * block * pixels + c % block;
                for (int i = 0; i < pixels; i++) {
                    sum += in[at + i * block];
                }
            }
            double mean = sum / size / pixels;
            double squares = 0;
            for (int c = first; c < first + size; c++) {
                int at = inOffset + c / block * block * pixels + c % block;
                for (int i = 0; i < pixels; i++) {
                    double d = in[at + i * block] - mean;
                    squares += d * d;
                }
            }
            double factor = inverseDeviation(squares / size / pixels, epsilon);
            for (int c = first; c < first + size; c++) {
                int at = c / block * block * pixels + c % block;
                normalize(
                        in,
                        inOffset + at,
                        out,
                        outOffset + at,
                        pixels,
                        block,
                        mean,
                        factor * factors[c],
                        factors[factors.length / 2 + c]);
            }
        }
    }

    private static double inverseDeviation(double variance, float epsilon) {
        return 1 / Math.sqrt(variance + epsilon);
    }

    /**
     * Of equal numbers their multiple, so that nothing of them is left beside the mean, which is divided by very
     * little.
     */
    private static double sum(float[] in, int offset, int count) {
        double sum = 0;
        for (int i = offset; i < offset + count; i++) {
            sum += in[i];
        }
        return sum;
    }

    private static double squares(float[] in, int offset, int count, double mean) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            double d = in[offset + i] - mean;
            sum += d * d;
        }
        return sum;
    }

    private static void normalize(
            float[] in, int from, float[] out, int to, int count, int step, double mean, double factor, float shift) {
        for (int i = 0; i < count * step; i += step) {
            out[to + i] = (float) ((in[from + i] - mean) * factor) + shift;
        }
    }
}
