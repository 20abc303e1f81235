package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ElementwiseOpsTest {
    private static final int[] SIZES = {0, 1, 3, 7, 8, 15, 16, 17, 33, 127, 1030};

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
        assertThrows(IllegalArgumentException.class,
            () -> ElementwiseOps.binary(op, new float[3], 1, new float[3], 0, new float[3], 0, 3, Clamp.NONE));
    }

    @ParameterizedTest
    @EnumSource(UnaryOp.class)
    void unaryEqualsItsTwin(UnaryOp op) {
        Random random = new Random(2);
        for (int n : SIZES) {
            float[] in = Twins.randomFloats(random, n + 3);
            for (int i = 0; i < n; i++) {
                in[3 + i] = op == UnaryOp.LOG || op == UnaryOp.SQRT || op == UnaryOp.RSQRT ? Math.abs(in[3 + i]) + 1e-3f : in[3 + i] * 9;
            }
            float[] out = new float[n + 1];
            ElementwiseOps.unary(op, in, 3, out, 1, n);
            for (int i = 0; i < n; i++) {
                float expected = op.apply(in[3 + i]);
                assertEquals(expected, out[1 + i], Math.abs(expected) * 2e-6f + 1e-7f, op + " of " + in[3 + i]);
            }
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
}
