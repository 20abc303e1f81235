package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FloatWideningTest {
    @ParameterizedTest
    @CsvSource({
        "16, 96, 14, 14, 3, 1, 1, 1",
        "7, 33, 5, 9, 3, 2, 1, 1",
        "24, 144, 7, 7, 5, 1, 2, 1",
        "160, 200, 7, 7, 3, 2, 1, 1",
        "3, 40, 13, 3, 3, 3, 0, 1",
        "4, 20, 6, 16, 3, 1, 2, 2",
        "1, 2, 1, 1, 1, 1, 0, 1"
    })
    void equalsItsStages(int inC, int middle, int h, int w, int kernel, int stride, int padding, int dilation) {
        Random random = new Random(middle);
        FloatChain.Stage expand = stage(ConvShape.of(inC, h, w, middle, 1, 1), Activation.of(Clamp.RELU6), random);
        FloatChain.Stage depthwise = stage(
                ConvShape.of(middle, h, w, middle, kernel, kernel)
                        .groups(middle)
                        .stride(stride, stride)
                        .dilation(dilation, dilation)
                        .padding(padding, padding),
                Activation.HARD_SWISH,
                random);
        for (ImageLayout layout : ImageLayout.values()) {
            check(expand, depthwise, layout, false, random);
            check(expand, depthwise, layout, true, random);
            check(expand, null, layout, true, random);
        }
    }

    @Test
    void refusesStagesThatDoNotFit() {
        Random random = new Random(1);
        FloatChain.Stage expand = stage(ConvShape.of(4, 6, 6, 8, 1, 1), Activation.NONE, random);
        FloatChain.Stage depthwise = stage(ConvShape.of(8, 6, 6, 8, 3, 3).groups(8), Activation.NONE, random);
        FloatChain.Stage other = stage(ConvShape.of(4, 6, 6, 16, 1, 1), Activation.NONE, random);
        assertEquals(
                "stage input: 8x6x6 (expected: the output of the stage before, 16x6x6)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> FloatWidening.plan(other, depthwise, ImageLayout.NHWC, false))
                        .getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> FloatWidening.plan(depthwise, depthwise, ImageLayout.NHWC, false));
        assertThrows(IllegalArgumentException.class, () -> FloatWidening.plan(expand, expand, ImageLayout.NHWC, false));
        FloatWidening widening = FloatWidening.plan(expand, depthwise, ImageLayout.NHWC, true);
        float[] in = new float[2 * 4 * 36];
        float[] out = new float[ImageLayout.BLOCKED.size(8, 4, 4)];
        assertThrows(IllegalArgumentException.class, () -> widening.run(in, 1, out, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> widening.run(in, 0, out, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> widening.run(in, 0, out, 0, 0, widening.units() + 1));
    }

    @ParameterizedTest
    @CsvSource({
        "16, 96, 6, 5, 24",
        "7, 33, 3, 3, 8",
        "24, 72, 7, 1, 17",
        "5, 144, 4, 4, 65",
        "3, 16, 2, 2, 1",
        "2, 1, 3, 3, 130"
    })
    void leavesProductsOfMeansBehindTheImage(int inC, int middle, int h, int w, int outs) {
        Random random = new Random(outs);
        FloatChain.Stage expand = stage(ConvShape.of(inC, h, w, middle, 1, 1), Activation.HARD_SWISH, random);
        FloatChain.Stage depthwise =
                stage(ConvShape.of(middle, h, w, middle, 3, 3).groups(middle).padding(1, 1), Activation.NONE, random);
        FloatWidening.Squeeze squeeze =
                new FloatWidening.Squeeze(outs, Weights.of(Twins.randomFloats(random, outs * middle)));
        for (FloatChain.Stage second : new FloatChain.Stage[] {depthwise, null}) {
            FloatWidening plain = FloatWidening.plan(expand, second, ImageLayout.NHWC, false);
            FloatWidening squeezing = FloatWidening.plan(expand, second, ImageLayout.NHWC, false, squeeze);
            float[] in = Twins.randomFloats(random, inC * h * w);
            int size = ImageLayout.BLOCKED.size(middle, h, w);
            int parts = FloatWidening.Squeeze.parts(expand.shape());
            int step = FloatWidening.Squeeze.step(outs);
            float[] image = new float[size];
            plain.run(in, 0, image, 0, 0, plain.units());
            float[] both = new float[3 + size + parts * step];
            for (int unit = squeezing.units() - 1; unit >= 0; unit--) {
                squeezing.run(in, 0, both, 3, unit, unit + 1);
            }
            assertArrayEquals(image, Arrays.copyOfRange(both, 3, 3 + size));
            float[] channels = new float[middle * h * w];
            LayoutConversion.convert(middle, h * w, ImageLayout.BLOCKED, image, 0, ImageLayout.NCHW, channels, 0);
            for (int out = 0; out < outs; out++) {
                double expected = 0;
                for (int c = 0; c < middle; c++) {
                    expected +=
                            squeeze.weights().values()[out * middle + c] * Twins.moments(channels, c * h * w, h * w)[0];
                }
                double actual = 0;
                for (int part = 0; part < parts; part++) {
                    actual += both[3 + size + part * step + out];
                }
                assertEquals(expected, actual, 1e-5 * Math.sqrt(middle) * (inC + 9), "column " + out);
            }
            assertThrows(IllegalArgumentException.class, () -> squeezing.run(in, 0, new float[size], 0, 0, 1));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> FloatWidening.plan(
                        expand, null, ImageLayout.NHWC, false, new FloatWidening.Squeeze(outs + 1, squeeze.weights())));
    }

    @ParameterizedTest
    @CsvSource({
        "16, 96, 6, 5",
        "7, 33, 3, 3",
        "24, 72, 7, 1",
        "5, 144, 4, 4",
        "3, 16, 2, 2",
        "2, 1, 3, 3",
        "40, 17, 1, 1"
    })
    void leavesNothingButMeans(int inC, int outC, int h, int w) {
        Random random = new Random(outC);
        FloatChain.Stage expand = stage(ConvShape.of(inC, h, w, outC, 1, 1), Activation.HARD_SWISH, random);
        for (ImageLayout layout : ImageLayout.values()) {
            for (boolean halves : new boolean[] {false, true}) {
                FloatWidening plain = FloatWidening.plan(expand, null, layout, halves);
                FloatWidening widening = FloatWidening.planMeans(expand, layout, halves);
                float[] in = Twins.randomFloats(random, 3 + (halves ? 2 : 1) * layout.size(inC, h, w));
                float[] image = new float[ImageLayout.BLOCKED.size(outC, h, w)];
                plain.run(in, 3, image, 0, 0, plain.units());
                float[] channels = new float[outC * h * w];
                LayoutConversion.convert(outC, h * w, ImageLayout.BLOCKED, image, 0, ImageLayout.NCHW, channels, 0);
                float[] means = new float[2 + outC + 1];
                for (int unit = widening.units() - 1; unit >= 0; unit--) {
                    widening.run(in, 3, means, 2, unit, unit + 1);
                }
                for (int c = 0; c < outC; c++) {
                    assertEquals(
                            Twins.moments(channels, c * h * w, h * w)[0],
                            means[2 + c],
                            1e-5 * inC,
                            layout + " channel " + c);
                }
                assertEquals(0, means[1]);
                assertEquals(0, means[2 + outC]);
                float[] resumed = new float[outC];
                widening.run(in, 3, resumed, 0, 0, 1);
                widening.resume(in, 3, resumed, 0, 1, widening.units());
                assertArrayEquals(Arrays.copyOfRange(means, 2, 2 + outC), resumed);
                assertThrows(IllegalArgumentException.class, () -> widening.run(in, 3, means, 4, 0, 1));
            }
        }
    }

    private static FloatChain.Stage stage(ConvShape shape, Activation activation, Random random) {
        return new FloatChain.Stage(
                shape,
                Weights.of(Twins.randomFloats(random, Math.toIntExact(shape.weightCount()))),
                Twins.randomFloats(random, shape.outC()),
                activation);
    }

    private static void check(
            FloatChain.Stage expand, FloatChain.Stage depthwise, ImageLayout layout, boolean halves, Random random) {
        ConvShape first = expand.shape();
        ConvShape last = depthwise == null ? first : depthwise.shape();
        int pixels = first.inH() * first.inW();
        int half = layout.size(first.inC(), first.inH(), first.inW());
        float[] laid = new float[(halves ? 2 : 1) * half + 5];
        float[] in = new float[first.inC() * pixels];
        for (int image = 0; image < (halves ? 2 : 1); image++) {
            float[] addend = Twins.randomFloats(random, in.length);
            for (int i = 0; i < in.length; i++) {
                in[i] += addend[i];
            }
            LayoutConversion.convert(first.inC(), pixels, ImageLayout.NCHW, addend, 0, layout, laid, 5 + image * half);
        }
        float[] wide = Twins.conv(first, in, expand.weights().values(), expand.bias(), null, expand.activation());
        float[] expected = depthwise == null
                ? wide
                : Twins.conv(last, wide, depthwise.weights().values(), depthwise.bias(), null, depthwise.activation());

        FloatWidening widening = FloatWidening.plan(expand, depthwise, layout, halves);
        int size = ImageLayout.BLOCKED.size(last.outC(), last.outH(), last.outW());
        float[] whole = new float[size + 3];
        widening.run(laid, 5, whole, 3, 0, widening.units());
        float[] apart = new float[size + 3];
        for (int unit = widening.units() - 1; unit >= 0; unit--) {
            widening.run(laid, 5, apart, 3, unit, unit + 1);
        }
        assertArrayEquals(whole, apart);
        float[] resumed = new float[size + 3];
        for (int unit = 0; unit < widening.units(); unit++) {
            if (unit % 3 == 0) {
                widening.run(laid, 5, resumed, 3, unit, unit + 1);
            } else {
                widening.resume(laid, 5, resumed, 3, unit, unit + 1);
            }
        }
        assertArrayEquals(whole, resumed);
        float[] actual = new float[expected.length];
        LayoutConversion.convert(
                last.outC(), last.outH() * last.outW(), ImageLayout.BLOCKED, whole, 3, ImageLayout.NCHW, actual, 0);
        float tolerance = 1e-5f * (float) Math.sqrt(first.inC() * (double) last.weightCount()) + 1e-5f;
        assertArrayEquals(
                expected,
                actual,
                tolerance,
                () -> first + " to " + last + ", " + layout + (halves ? " in halves" : ""));
    }
}
