package org.torchnnapi.kernels;

import java.util.Arrays;
import java.util.Random;

/** The plain twins of the kernels: definitions written down as loops over NCHW images, sums in double or long. */
final class Twins {
    private Twins() {}

    static float[] randomFloats(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = random.nextFloat() * 2 - 1;
        }
        return values;
    }

    static float[] filled(int count, float value) {
        float[] values = new float[count];
        Arrays.fill(values, value);
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
                    int weight = s.transposed()
                            ? (ic * outPerGroup + oc % outPerGroup) * taps + tap
                            : (oc * inPerGroup + icg) * taps + tap;
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
                            triple.meet(
                                    (oc * s.outH() + oy) * s.outW() + ox,
                                    (ic * s.inH() + iy) * s.inW() + ix,
                                    weight,
                                    oc);
                        }
                    }
                }
            }
        }
    }

    static float[] conv(
            ConvShape s, float[] in, float[] weights, float[] bias, float[] residual, Activation activation) {
        double[] sums = new double[s.outC() * s.outH() * s.outW()];
        convTriples(s, (out, input, weight, oc) -> sums[out] += (double) in[input] * weights[weight]);
        float[] result = new float[sums.length];
        for (int i = 0; i < sums.length; i++) {
            double sum = sums[i] + bias[i / (s.outH() * s.outW())] + (residual == null ? 0 : residual[i]);
            double applied = activation.function() == null ? sum : function(activation.function(), sum);
            result[i] = (float) Math.min(
                    Math.max(applied, activation.clamp().min()),
                    activation.clamp().max());
        }
        return result;
    }

    private static double function(UnaryOp op, double x) {
        return switch (op) {
            case HARD_SWISH -> x * Math.min(Math.max(x + 3, 0), 6) / 6;
            case SILU -> x / (1 + Math.exp(-x));
            case TANH -> 1 - 2 / (1 + Math.exp(2 * x));
            default -> throw new IllegalArgumentException(op.toString());
        };
    }

    static int[] quantizedSums(
            ConvShape s, byte[] in, boolean signed, int zeroPoint, QuantizedWeights weights, int[] bias) {
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

    /** As {@link Requantization}, in exact arithmetic of its own. */
    record Rule(float[] scales, int zeroPoint, int min, int max) {
        Requantization planned() {
            return Requantization.halfEven(scales, zeroPoint, min, max);
        }

        int of(int sum, int channel) {
            // A product of two floats is exact in a double.
            double product = (float) ((double) (float) sum * scales[scales.length == 1 ? 0 : channel]);
            return limited(halfEven(product), zeroPoint, min, max);
        }
    }

    /** As {@link QuantizedSum} without limits of its own, of both kinds. */
    record Sum(
            boolean fixedPoint,
            float scaleA,
            int zeroA,
            float scaleB,
            int zeroB,
            float scale,
            int zeroPoint,
            boolean signed) {
        QuantizedSum planned() {
            return fixedPoint
                    ? QuantizedSum.fixedPoint(
                            scaleA, zeroA, scaleB, zeroB, false, scale, zeroPoint, signed, least(), least() + 255)
                    : QuantizedSum.halfEven(
                            scaleA, zeroA, scaleB, zeroB, false, scale, zeroPoint, signed, least(), least() + 255);
        }

        byte of(byte a, byte b) {
            int x = (signed ? a : a & 255) - zeroA;
            int y = (signed ? b : b & 255) - zeroB;
            if (!fixedPoint) {
                return (byte) limited(
                        halfEven((x * (double) scaleA + y * (double) scaleB) / scale),
                        zeroPoint,
                        least(),
                        least() + 255);
            }
            float ratioA = scaleA / scale;
            float ratioB = scaleB / scale;
            int bits = 21 - Math.getExponent(Math.max(ratioA, ratioB));
            double power = Math.pow(2, bits);
            long exact = (long) halfEven(ratioA * power) * x + (long) halfEven(ratioB * power) * y;
            long steps = (Math.abs(exact) + (1L << bits - 1)) / (1L << bits) * Long.signum(exact);
            return (byte) limited(steps, zeroPoint, least(), least() + 255);
        }

        private int least() {
            return signed ? -128 : 0;
        }
    }

    /** By the definition, not by the machine's own rounding. */
    private static double halfEven(double value) {
        double floor = Math.floor(value);
        double rest = value - floor;
        return rest > 0.5 || rest == 0.5 && floor % 2 != 0 ? floor + 1 : floor;
    }

    private static int limited(double steps, int zeroPoint, int min, int max) {
        return (int) Math.min(Math.max(steps + zeroPoint, min), max);
    }
}
