package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.tensor.platform.Platform;

class FloatConvTest {
    @ParameterizedTest
    @EnumSource(ImageLayout.class)
    void equalsItsTwin(ImageLayout layout) {
        Random random = new Random(3);
        for (ConvShape shape : ConvShapes.all()) {
            check(shape, layout, layout, Activation.NONE, false, random);
        }
    }

    @Test
    void activatesAddsAndChangesLayout() {
        Random random = new Random(4);
        Activation[] activations = {
            Activation.of(Clamp.RELU),
            Activation.of(Clamp.RELU6),
            Activation.of(Clamp.RELU1),
            Activation.HARD_SWISH,
            Activation.of(new Clamp(-0.25f, 0.5f)),
            new Activation(UnaryOp.HARD_SWISH, new Clamp(-0.1f, 0.3f)),
            Activation.of(UnaryOp.SILU),
            new Activation(UnaryOp.TANH, new Clamp(-0.1f, 0.3f)),
            Activation.of(UnaryOp.SILU)
        };
        int i = 0;
        for (ConvShape shape : ConvShapes.all()) {
            ImageLayout in = ImageLayout.values()[i % 3];
            ImageLayout out = ImageLayout.values()[i / 3 % 3];
            check(shape, in, out, activations[i++ % activations.length], i % 2 == 0, random);
        }
    }

    /** x86 processors take very long for them; the thread's own arithmetic keeps them. */
    @Test
    void subnormalSumsAreZerosOfKernelsForX86() {
        FloatConv conv = FloatConv.plan(
                ConvShape.of(16, 3, 5, 16, 1, 1),
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                Twins.filled(256, 1e-20f),
                null,
                Clamp.NONE);
        float[] out = new float[240];
        conv.run(Twins.filled(240, 1e-20f), 0, out, 0, 0, conv.units());
        boolean flushed = Platform.PROCESSOR.equals("x86_64")
                && Kernels.describe().stream().anyMatch(line -> line.startsWith("float kernels: native"));
        assertArrayEquals(Twins.filled(240, flushed ? 0 : 16e-40f), out, 1e-44f);
        float[] halves = Twins.filled(1, Float.MIN_NORMAL);
        halves[0] *= 0.5f;
        assertEquals(Float.MIN_NORMAL, halves[0] * 2);
    }

    @Test
    void sharesGiveTheSameBits() {
        ConvShape shape = ConvShape.of(40, 23, 29, 50, 3, 3).padding(1, 1);
        Random random = new Random(5);
        float[] in = Twins.randomFloats(random, 40 * 23 * 29);
        FloatConv conv = FloatConv.plan(
                shape, ImageLayout.NCHW, ImageLayout.NCHW, Twins.randomFloats(random, 50 * 40 * 9), null, Clamp.RELU);
        float[] whole = new float[50 * 23 * 29];
        conv.run(in, 0, whole, 0, 0, conv.units());
        float[] shared = new float[whole.length];
        try (KernelPool pool = new KernelPool(3)) {
            conv.run(in, 0, shared, 0, pool);
        }
        assertArrayEquals(whole, shared);
    }

    @Test
    void refusesAtTheDoor() {
        ConvShape shape = ConvShape.of(2, 4, 4, 3, 3, 3);
        assertEquals(
                "weights length: 5 (expected: 54)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> FloatConv.plan(
                                        shape, ImageLayout.NCHW, ImageLayout.NCHW, new float[5], null, Clamp.NONE))
                        .getMessage());
        assertEquals(
                "stride: 0 (expected: >= 1)",
                assertThrows(IllegalArgumentException.class, () -> shape.stride(0, 1))
                        .getMessage());
        ConvShape beyond = ConvShape.of(2, 2, 2, 3, 3, 3);
        assertThrows(
                IllegalArgumentException.class,
                () -> FloatConv.plan(beyond, ImageLayout.NCHW, ImageLayout.NCHW, new float[54], null, Clamp.NONE));
        assertThrows(IllegalArgumentException.class, () -> shape.groups(2));
        FloatConv conv = FloatConv.plan(shape, ImageLayout.NCHW, ImageLayout.NCHW, new float[54], null, Clamp.NONE);
        assertThrows(IllegalArgumentException.class, () -> conv.run(new float[31], 0, new float[12], 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> conv.run(new float[32], 0, new float[12], 1, 0, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> conv.run(new float[32], 0, new float[12], 0, 0, conv.units() + 1));
    }

    private static void check(
            ConvShape shape,
            ImageLayout inLayout,
            ImageLayout outLayout,
            Activation activation,
            boolean adding,
            Random random) {
        int inPixels = shape.inH() * shape.inW();
        int outPixels = shape.outH() * shape.outW();
        float[] in = Twins.randomFloats(random, shape.inC() * inPixels);
        float[] weights = Twins.randomFloats(random, Math.toIntExact(shape.weightCount()));
        float[] bias = Twins.randomFloats(random, shape.outC());
        float[] residual = adding ? Twins.randomFloats(random, shape.outC() * outPixels) : null;
        float[] expected = Twins.conv(shape, in, weights, bias, residual, activation);

        float[] laidIn = new float[inLayout.size(shape.inC(), shape.inH(), shape.inW()) + 5];
        LayoutConversion.convert(shape.inC(), inPixels, ImageLayout.NCHW, in, 0, inLayout, laidIn, 5);
        int outSize = outLayout.size(shape.outC(), shape.outH(), shape.outW());
        float[] laidOut = new float[outSize + 3];
        FloatConv conv = FloatConv.plan(shape, inLayout, outLayout, weights, bias, activation);
        int middle = conv.units() / 2;
        if (adding) {
            LayoutConversion.convert(shape.outC(), outPixels, ImageLayout.NCHW, residual, 0, outLayout, laidOut, 3);
            conv.runAdding(laidIn, 5, laidOut, 3, laidOut, 3, middle, conv.units());
            conv.runAdding(laidIn, 5, laidOut, 3, laidOut, 3, 0, middle);
        } else {
            conv.run(laidIn, 5, laidOut, 3, middle, conv.units());
            conv.run(laidIn, 5, laidOut, 3, 0, middle);
        }
        float[] resumed = new float[laidOut.length];
        if (adding) {
            LayoutConversion.convert(shape.outC(), outPixels, ImageLayout.NCHW, residual, 0, outLayout, resumed, 3);
        }
        for (int unit = 0; unit < conv.units(); unit++) {
            // Each third begins anew.
            if (unit % 3 == 0 && adding) {
                conv.runAdding(laidIn, 5, resumed, 3, resumed, 3, unit, unit + 1);
            } else if (unit % 3 == 0) {
                conv.run(laidIn, 5, resumed, 3, unit, unit + 1);
            } else {
                conv.resume(laidIn, 5, adding ? resumed : null, 3, resumed, 3, unit, unit + 1);
            }
        }
        assertArrayEquals(laidOut, resumed, () -> shape + " " + inLayout + " to " + outLayout + " unit by unit");

        float[] actual = new float[expected.length];
        LayoutConversion.convert(shape.outC(), outPixels, outLayout, laidOut, 3, ImageLayout.NCHW, actual, 0);
        float tolerance = 1e-6f * (float) Math.sqrt(shape.weightCount()) + 1e-6f;
        assertArrayEquals(expected, actual, tolerance, () -> shape + " " + inLayout + " to " + outLayout);
    }
}
