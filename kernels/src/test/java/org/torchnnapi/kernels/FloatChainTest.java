package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FloatChainTest {
    @ParameterizedTest
    @CsvSource({
        "3, 17, 5, 9, 8, 3, 1, 1, 1",
        "16, 96, 24, 23, 30, 3, 2, 1, 1",
        "24, 144, 24, 12, 15, 3, 1, 1, 1",
        "5, 33, 50, 7, 7, 5, 2, 2, 1",
        "8, 40, 16, 13, 3, 3, 3, 0, 1",
        "4, 20, 4, 6, 16, 3, 1, 2, 2",
        "1, 2, 1, 1, 1, 1, 1, 0, 1"
    })
    void equalsItsStages(
            int inC, int middle, int outC, int h, int w, int kernel, int stride, int padding, int dilation) {
        Random random = new Random(inC);
        FloatChain.Stage expand = stage(
                ConvShape.of(inC, h, w, middle, 1, 1),
                kernel == 5 ? Activation.of(UnaryOp.SILU) : Activation.of(Clamp.RELU6),
                random);
        FloatChain.Stage depthwise = stage(
                ConvShape.of(middle, h, w, middle, kernel, kernel)
                        .groups(middle)
                        .stride(stride, stride)
                        .dilation(dilation, dilation)
                        .padding(padding, padding),
                stride == 2 ? Activation.HARD_SWISH : Activation.of(Clamp.RELU),
                random);
        FloatChain.Stage project = stage(
                ConvShape.of(middle, depthwise.shape().outH(), depthwise.shape().outW(), outC, 1, 1),
                Activation.NONE,
                random);
        for (ImageLayout layout : ImageLayout.values()) {
            check(expand, depthwise, project, layout, layout, false, random);
            check(expand, depthwise, project, ImageLayout.NHWC, layout, true, random);
            check(null, depthwise, project, layout, ImageLayout.BLOCKED, true, random);
            check(expand, depthwise, null, ImageLayout.BLOCKED, layout, false, random);
            check(null, depthwise, null, layout, layout, true, random);
        }
    }

    @Test
    void beginsWithAnyDenseConvolution() {
        Random random = new Random(9);
        FloatChain.Stage first =
                stage(ConvShape.of(3, 21, 33, 24, 3, 3).stride(2, 2).padding(1, 1), Activation.of(Clamp.RELU6), random);
        FloatChain.Stage depthwise =
                stage(ConvShape.of(24, 11, 17, 24, 3, 3).groups(24).padding(1, 1), Activation.of(Clamp.RELU6), random);
        FloatChain.Stage project = stage(ConvShape.of(24, 11, 17, 16, 1, 1), Activation.NONE, random);
        for (ImageLayout layout : ImageLayout.values()) {
            check(first, depthwise, project, layout, layout, false, random);
        }
    }

    @Test
    void refusesStagesThatDoNotFit() {
        Random random = new Random(1);
        FloatChain.Stage expand = stage(ConvShape.of(4, 6, 6, 16, 1, 1), Activation.NONE, random);
        FloatChain.Stage depthwise = stage(ConvShape.of(8, 6, 6, 8, 3, 3).groups(8), Activation.NONE, random);
        assertEquals(
                "stage input: 8x6x6 (expected: the output of the stage before, 16x6x6)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> FloatChain.plan(expand, depthwise, null, ImageLayout.NHWC, ImageLayout.NHWC))
                        .getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> FloatChain.plan(null, expand, null, ImageLayout.NHWC, ImageLayout.NHWC));
        assertThrows(
                IllegalArgumentException.class,
                () -> FloatChain.plan(depthwise, depthwise, null, ImageLayout.NHWC, ImageLayout.NHWC));
        FloatChain.Stage wide = stage(ConvShape.of(8, 4, 4, 4, 3, 3), Activation.NONE, random);
        assertThrows(
                IllegalArgumentException.class,
                () -> FloatChain.plan(null, depthwise, wide, ImageLayout.NHWC, ImageLayout.NHWC));
        FloatChain chain = FloatChain.plan(null, depthwise, null, ImageLayout.NHWC, ImageLayout.NHWC);
        float[] in = new float[8 * 36];
        float[] out = new float[8 * 16];
        assertThrows(IllegalArgumentException.class, () -> chain.run(in, 1, null, 0, out, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> chain.run(in, 0, null, 0, out, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> chain.run(in, 0, in, 200, out, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> chain.run(in, 0, null, 0, out, 0, 0, chain.units() + 1));
    }

    private static FloatChain.Stage stage(ConvShape shape, Activation activation, Random random) {
        return new FloatChain.Stage(
                shape,
                Weights.of(Twins.randomFloats(random, Math.toIntExact(shape.weightCount()))),
                Twins.randomFloats(random, shape.outC()),
                activation);
    }

    private static void check(
            FloatChain.Stage expand,
            FloatChain.Stage depthwise,
            FloatChain.Stage project,
            ImageLayout inLayout,
            ImageLayout outLayout,
            boolean adding,
            Random random) {
        ConvShape first = expand == null ? depthwise.shape() : expand.shape();
        ConvShape last = project == null ? depthwise.shape() : project.shape();
        int inPixels = first.inH() * first.inW();
        int outPixels = last.outH() * last.outW();
        float[] in = Twins.randomFloats(random, first.inC() * inPixels);
        float[] residual = adding ? Twins.randomFloats(random, last.outC() * outPixels) : null;
        float[] expected = expand == null ? in : twin(expand, in, null);
        expected = twin(depthwise, expected, project == null ? residual : null);
        expected = project == null ? expected : twin(project, expected, residual);

        float[] laidIn = new float[inLayout.size(first.inC(), first.inH(), first.inW()) + 5];
        LayoutConversion.convert(first.inC(), inPixels, ImageLayout.NCHW, in, 0, inLayout, laidIn, 5);
        float[] laidOut = new float[outLayout.size(last.outC(), last.outH(), last.outW()) + 3];
        if (adding) {
            LayoutConversion.convert(last.outC(), outPixels, ImageLayout.NCHW, residual, 0, outLayout, laidOut, 3);
        }
        float[] start = laidOut.clone();
        float[] shared = laidOut.clone();
        FloatChain chain = FloatChain.plan(expand, depthwise, project, inLayout, outLayout);
        chain.run(laidIn, 5, adding ? laidOut : null, 3, laidOut, 3, 0, chain.units());
        for (int unit = chain.units() - 1; unit >= 0; unit--) {
            chain.run(laidIn, 5, adding ? shared : null, 3, shared, 3, unit, unit + 1);
        }
        assertArrayEquals(laidOut, shared);
        float[] resumed = start.clone();
        for (int unit = 0; unit < chain.units(); unit++) {
            if (unit % 5 == 0) {
                chain.run(laidIn, 5, adding ? resumed : null, 3, resumed, 3, unit, unit + 1);
            } else {
                chain.resume(laidIn, 5, adding ? resumed : null, 3, resumed, 3, unit, unit + 1);
            }
        }
        assertArrayEquals(laidOut, resumed);
        float[] actual = new float[expected.length];
        LayoutConversion.convert(last.outC(), outPixels, outLayout, laidOut, 3, ImageLayout.NCHW, actual, 0);
        float tolerance = 1e-5f
                        * (float) Math.sqrt(
                                first.inC() * (double) depthwise.shape().weightCount())
                + 1e-5f;
        assertArrayEquals(
                expected, actual, tolerance, () -> first + " to " + last + ", " + inLayout + " to " + outLayout);
    }

    private static float[] twin(FloatChain.Stage stage, float[] in, float[] residual) {
        return Twins.conv(stage.shape(), in, stage.weights().values(), stage.bias(), residual, stage.activation());
    }
}
