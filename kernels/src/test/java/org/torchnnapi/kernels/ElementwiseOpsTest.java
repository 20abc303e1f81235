package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.tensor.platform.Platform;

class ElementwiseOpsTest {
    private static final int[] SIZES = {0, 1, 3, 7, 8, 15, 16, 17, 33, 127, 1030};
    /** NEON on Arm of 32 bits takes denormals for zeros, and makes zeros of them; some operations of it do neither. */
    private static final boolean FLUSHES = Platform.PROCESSOR.equals("arm");

    @ParameterizedTest
    @EnumSource(BinaryOp.class)
    void binaryEqualsItsTwin(BinaryOp op) {
        Random random = new Random(1);
        for (int n : SIZES) {
            float[] a = Twins.randomFloats(random, n + 3);
            float[] b = Twins.randomFloats(random, n + 1);
            float[] out = new float[n + 2];
            Clamp clamp = n % 2 == 0 ? Clamp.NONE : new Clamp(-0.5f, 0.75f);
            ElementwiseOps.binary(op, a, 3, b, 1, out, 2, n, clamp);
            for (int i = 0; i < n; i++) {
                assertEquals(clamp.apply(op.apply(a[3 + i], b[1 + i])), out[2 + i], op + " " + n);
            }
            ElementwiseOps.binary(op, a, 3, 0.3f, out, 2, n, clamp);
            for (int i = 0; i < n; i++) {
                assertEquals(clamp.apply(op.apply(a[3 + i], 0.3f)), out[2 + i], op + " " + n);
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> ElementwiseOps.binary(op, new float[3], 1, new float[3], 0, new float[3], 0, 3, Clamp.NONE));
    }

    @ParameterizedTest
    @EnumSource(UnaryOp.class)
    void unaryEqualsItsTwin(UnaryOp op) {
        Random random = new Random(2);
        for (int n : SIZES) {
            float[] in = Twins.randomFloats(random, n + 3);
            for (int i = 0; i < n; i++) {
                in[3 + i] = op == UnaryOp.LOG || op == UnaryOp.SQRT || op == UnaryOp.RSQRT
                        ? Math.abs(in[3 + i]) + 1e-3f
                        : in[3 + i] * 9;
            }
            float[] out = new float[n + 1];
            ElementwiseOps.unary(op, in, 3, out, 1, n);
            for (int i = 0; i < n; i++) {
                float expected = op.apply(in[3 + i]);
                assertEquals(expected, out[1 + i], Math.abs(expected) * 2e-6f + 1e-7f, op + " of " + in[3 + i]);
            }
        }
    }

    /**
     * Over all magnitudes of floats and both signs, within four units in the last place of what double arithmetic
     * gives; of the approximate GELU, whose tail is the exponential of a rounded polynomial, within a quarter of its
     * argument's.
     */
    @ParameterizedTest
    @EnumSource(UnaryOp.class)
    void unaryIsAccurateEverywhere(UnaryOp op) {
        int step = 50021;
        float[] in = new float[(int) ((1L << 32) / step)];
        for (int i = 0; i < in.length; i++) {
            in[i] = Float.intBitsToFloat(Integer.MIN_VALUE + i * step);
        }
        float[] extremes = {
            0,
            -0f,
            Float.NaN,
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY,
            Float.MAX_VALUE,
            -Float.MAX_VALUE,
            Float.MIN_VALUE,
            -Float.MIN_VALUE,
            88.72284f,
            -87.33655f,
            -103.97f,
            1,
            -1
        };
        System.arraycopy(extremes, 0, in, 100, extremes.length);
        float[] out = new float[in.length];
        ElementwiseOps.unary(op, in, 0, out, 0, in.length);
        for (int i = 0; i < in.length; i++) {
            float value = in[i];
            float expected = op.apply(value);
            boolean near = isNear(op, value, expected, out[i])
                    || FLUSHES
                            && Math.abs(value) < Float.MIN_NORMAL
                            && isNear(op, value, op.apply(Math.copySign(0, value)), out[i]);
            assertTrue(near, op + " of " + value + " is " + out[i] + " (expected: " + expected + ")");
        }
    }

    private static boolean isNear(UnaryOp op, float value, float expected, float actual) {
        if (Float.isNaN(expected) || expected == actual) {
            return Float.isNaN(expected) == Float.isNaN(actual);
        }
        double error = Math.abs((double) expected - actual);
        return error <= 4.0 * Math.ulp(expected)
                || op == UnaryOp.GELU_TANH && error <= 0.25 * Math.ulp(value)
                || FLUSHES && error < Float.MIN_NORMAL;
    }

    /**
     * By the series of the normal distribution function: {@code 1/2 + exp(-x^2/2) / sqrt(2 pi) * (x + x^3/3 + x^5/(3*5)
     * + ..)}.
     */
    @Test
    void geluIsTheNormalDistributionTimesItsArgument() {
        for (double x = -6; x <= 6; x += 0.01) {
            double term = Math.abs(x);
            double sum = 0;
            for (int n = 3; term > 1e-18; n += 2) {
                sum += term;
                term *= x * x / n;
            }
            double half = Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI) * sum;
            double expected = x * (x < 0 ? 0.5 - half : 0.5 + half);
            assertEquals(expected, UnaryOp.GELU.apply((float) x), 3e-7 * Math.max(Math.abs(x), 0.1), "GELU of " + x);
            assertEquals(expected, UnaryOp.GELU_TANH.apply((float) x), 1e-3, "approximate GELU of " + x);
        }
    }

    @Test
    void notANumberStays() {
        float[] values = new float[37];
        for (BinaryOp op : BinaryOp.values()) {
            float[] out = new float[37];
            Arrays.fill(values, 1);
            values[20] = Float.NaN;
            ElementwiseOps.binary(op, values, 0, new float[37], 0, out, 0, 37, Clamp.NONE);
            assertTrue(Float.isNaN(out[20]), op + " of NaN and 0");
            ElementwiseOps.binary(op, new float[37], 0, values, 0, out, 0, 37, Clamp.NONE);
            // Where the first is not below 0, the second is not asked for.
            assertTrue(op == BinaryOp.PRELU ? out[20] == 0 : Float.isNaN(out[20]), op + " of 0 and NaN");
        }
    }

    @ParameterizedTest
    @EnumSource(ImageLayout.class)
    void perChannelEqualsItsTwin(ImageLayout layout) {
        Random random = new Random(3);
        for (int channels : new int[] {1, 5, 16, 37}) {
            int pixels = 11;
            float[] a = Twins.randomFloats(random, channels * pixels);
            float[] b = Twins.randomFloats(random, channels);
            float[] laid = new float[layout.size(channels, pixels, 1)];
            LayoutConversion.convert(channels, pixels, ImageLayout.NCHW, a, 0, layout, laid, 0);
            ElementwiseOps.perChannel(BinaryOp.MUL, layout, channels, pixels, laid, 0, b, 0, laid, 0, Clamp.RELU);
            float[] out = new float[a.length];
            LayoutConversion.convert(channels, pixels, layout, laid, 0, ImageLayout.NCHW, out, 0);
            for (int i = 0; i < out.length; i++) {
                assertEquals(Math.max(a[i] * b[i / pixels], 0), out[i], 0f);
            }
        }
    }

    @Test
    void clampLimits() {
        float[] values = {-3, -0.5f, 0, 2, 7, 100};
        float[] out = new float[6];
        ElementwiseOps.clamp(values, 0, out, 0, 6, Clamp.RELU6);
        for (int i = 0; i < 6; i++) {
            assertEquals(Math.min(Math.max(values[i], 0), 6), out[i]);
        }
    }

    @Test
    void maskedFillEqualsItsTwin() {
        Random random = new Random(4);
        for (int n : SIZES) {
            float[] in = Twins.randomFloats(random, n + 3);
            byte[] mask = Twins.randomBytes(random, n + 1);
            for (int i = 0; i < mask.length; i += 1 + random.nextInt(3)) {
                mask[i] = 0;
            }
            for (boolean where : new boolean[] {false, true}) {
                float[] out = new float[n + 2];
                ElementwiseOps.maskedFill(in, 3, mask, 1, false, where, -7, out, 2, n);
                for (int i = 0; i < n; i++) {
                    assertEquals(mask[1 + i] != 0 == where ? -7 : in[3 + i], out[2 + i]);
                }
                ElementwiseOps.maskedFill(in, 3, mask, 0, true, where, -7, out, 2, n);
                for (int i = 0; i < n; i++) {
                    assertEquals(where ? in[3 + i] : -7, out[2 + i], "the first byte, 0, for all");
                }
            }
        }
    }
}
