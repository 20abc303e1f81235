package org.torchnnapi.kernels;

import java.util.Random;

/** The plain twins of the kernels: definitions written down as loops over NCHW images, sums in double or long. */
final class Twins {
    private Twins() {
    }

    static float[] randomFloats(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = random.nextFloat() * 2 - 1;
        }
        return values;
    }

    static byte[] randomBytes(Random random, long n) {
        byte[] values = new byte[Math.toIntExact(n)];
        random.nextBytes(values);
        return values;
    }

    /** The mean, and the mean of the squares of what differs from it. */
    static double[] moments(float[] values, int offset, int count) {
        double mean = 0;
        for (int i = offset; i < offset + count; i++) {
            mean += (double) values[i] / count;
        }
        double variance = 0;
        for (int i = offset; i < offset + count; i++) {
            variance += (values[i] - mean) * (values[i] - mean) / count;
        }
        return new double[] {mean, variance};
    }

    /** Adds the product of every (output, input, weight) triple of a convolution; a visitor sums them. */
    interface Triple {
        void meet(int out, int in, int weight, int outChannel);
    }

    static void convTriples(ConvShape s, Triple triple) {
        int inPerGroup = s.inC() / s.groups();
        int outPerGroup = s.outC() / s.groups();
        int taps = s.kernelH() * s.kernelW();
        for (int oc = 0; oc < s.outC(); oc++) {
            for (int icg = 0; icg < inPerGroup; icg++) {
                int ic = oc / outPerGroup * inPerGroup + icg;
                for (int tap = 0; tap < taps; tap++) {
                    int offsetY = tap / s.kernelW() * s.dilationH() - s.padTop();
                    int offsetX = tap % s.kernelW() * s.dilationW() - s.padLeft();
                    int weight = s.transposed() ? (ic * outPerGroup + oc % outPerGroup) * taps + tap : (oc * inPerGroup + icg) * taps + tap;
                    int steppingH = s.transposed() ? s.inH() : s.outH();
                    int steppingW = s.transposed() ? s.inW() : s.outW();
                    for (int a = 0; a < steppingH; a++) {
                        for (int b = 0; b < steppingW; b++) {
                            int y = a * s.strideH() + offsetY;
                            int x = b * s.strideW() + offsetX;
                            int otherH = s.transposed() ? s.outH() : s.inH();
                            int otherW = s.transposed() ? s.outW() : s.inW();
                            if (y < 0 || y >= otherH || x < 0 || x >= otherW) {
                                continue;
                            }
                            int oy = s.transposed() ? y : a;
                            int ox = s.transposed() ? x : b;
                            int iy = s.transposed() ? a : y;
                            int ix = s.transposed() ? b : x;
                            triple.meet((oc * s.outH() + oy) * s.outW() + ox, (ic * s.inH() + iy) * s.inW() + ix, weight, oc);
                        }
                    }
                }
            }
        }
    }

    static float[] conv(ConvShape s, float[] in, float[] weights, float[] bias, float[] residual, Activation activation) {
        double[] sums = new double[s.outC() * s.outH() * s.outW()];
        convTriples(s, (out, input, weight, oc) -> sums[out] += (double) in[input] * weights[weight]);
        float[] result = new float[sums.length];
        for (int i = 0; i < sums.length; i++) {
            double sum = sums[i] + bias[i / (s.outH() * s.outW())] + (residual == null ? 0 : residual[i]);
            double swished = activation.isHardSwish() ? sum * Math.min(Math.max(sum + 3, 0), 6) / 6 : sum;
            result[i] = (float) Math.min(Math.max(swished, activation.clamp().min()), activation.clamp().max());
        }
        return result;
    }

    static int[] quantizedSums(ConvShape s, byte[] in, boolean signed, int zeroPoint, QuantizedWeights weights, int[] bias) {
        int[] sums = new int[s.outC() * s.outH() * s.outW()];
        convTriples(s, (out, input, weight, oc) -> {
            int value = signed ? in[input] : in[input] & 255;
            int w = weights.signed() ? weights.values()[weight] : weights.values()[weight] & 255;
            sums[out] += (value - zeroPoint) * (w - weights.zeroPoints()[weights.zeroPoints().length == 1 ? 0 : oc]);
        });
        for (int i = 0; i < sums.length; i++) {
            sums[i] += bias[i / (s.outH() * s.outW())];
        }
        return sums;
    }
}
