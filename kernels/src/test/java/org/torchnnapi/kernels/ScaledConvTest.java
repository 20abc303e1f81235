package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.ScaledConvKernel;
import org.torchnnapi.kernels.internal.portable.StagedScaledConv;

class ScaledConvTest {
    @ParameterizedTest
    @CsvSource({
        "16, 14, 14, 16",
        "240, 14, 14, 40",
        "288, 7, 7, 96",
        "33, 5, 3, 17",
        "1, 1, 1, 1",
        "7, 9, 2, 100",
        "50, 1, 3, 8"
    })
    void equalsTheConvolutionOfScaledChannels(int inC, int h, int w, int outC) {
        Random random = new Random(inC);
        ConvShape shape = ConvShape.of(inC, h, w, outC, 1, 1);
        float[] weights = Twins.randomFloats(random, inC * outC);
        float[] bias = Twins.randomFloats(random, outC);
        float[] in = Twins.randomFloats(random, inC * h * w);
        float[] factors = Twins.randomFloats(random, inC);
        float[] scaled = in.clone();
        for (int i = 0; i < in.length; i++) {
            scaled[i] *= factors[i / (h * w)];
        }
        float[] residual = Twins.randomFloats(random, outC * h * w);
        float[] laid = new float[1 + ImageLayout.BLOCKED.size(inC, h, w)];
        LayoutConversion.convert(inC, h * w, ImageLayout.NCHW, in, 0, ImageLayout.BLOCKED, laid, 1);
        for (ImageLayout layout : ImageLayout.values()) {
            float[] added = new float[layout.size(outC, h, w) + 2];
            LayoutConversion.convert(outC, h * w, ImageLayout.NCHW, residual, 0, layout, added, 2);
            for (boolean adding : new boolean[] {false, true}) {
                float[] expected =
                        Twins.conv(shape, scaled, weights, bias, adding ? residual : null, Activation.of(Clamp.RELU6));
                ScaledConv conv = ScaledConv.plan(shape, layout, Weights.of(weights), bias, Activation.of(Clamp.RELU6));
                float[] whole = new float[layout.size(outC, h, w) + 1];
                conv.run(laid, 1, factors, 0, adding ? added : null, 2, whole, 1, 0, conv.units());
                float[] resumed = new float[whole.length];
                conv.run(laid, 1, factors, 0, adding ? added : null, 2, resumed, 1, 0, 1);
                for (int unit = 1; unit < conv.units(); unit++) {
                    conv.resume(laid, 1, adding ? added : null, 2, resumed, 1, unit, unit + 1);
                }
                assertArrayEquals(whole, resumed);
                check(expected, whole, 1, shape, layout);

                ScaledConvKernel staged = new StagedScaledConv(
                        new FloatConvSpec(
                                shape,
                                ImageLayout.BLOCKED,
                                layout,
                                Weights.of(weights),
                                bias,
                                Activation.of(Clamp.RELU6)),
                        Kernels.floats());
                float[] other = new float[whole.length];
                staged.run(laid, 1, factors, 0, adding ? added : null, 2, other, 1, 0, staged.units());
                check(expected, other, 1, shape, layout);
            }
        }
    }

    private static void check(float[] expected, float[] laid, int at, ConvShape shape, ImageLayout layout) {
        float[] actual = new float[expected.length];
        LayoutConversion.convert(
                shape.outC(), shape.inH() * shape.inW(), layout, laid, at, ImageLayout.NCHW, actual, 0);
        assertArrayEquals(
                expected, actual, 1e-5f * (float) Math.sqrt(shape.inC()) + 1e-5f, () -> shape + ", " + layout);
    }

    @Test
    void refusesWhatDoesNotFit() {
        ConvShape shape = ConvShape.of(4, 3, 3, 8, 1, 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> ScaledConv.plan(
                        shape.padding(1, 1), ImageLayout.NHWC, Weights.of(new float[32]), null, Activation.NONE));
        ScaledConv conv = ScaledConv.plan(shape, ImageLayout.NHWC, Weights.of(new float[32]), null, Activation.NONE);
        float[] in = new float[ImageLayout.BLOCKED.size(4, 3, 3)];
        float[] factors = new float[4];
        float[] out = new float[72];
        assertThrows(IllegalArgumentException.class, () -> conv.run(in, 0, factors, 1, null, 0, out, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> conv.run(in, 1, factors, 0, null, 0, out, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> conv.run(in, 0, factors, 0, out, 1, out, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> conv.resume(in, 0, null, 0, out, 1, 0, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> conv.run(in, 0, factors, 0, null, 0, out, 0, 0, conv.units() + 1));
    }
}
