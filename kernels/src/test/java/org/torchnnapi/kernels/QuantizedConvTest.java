package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantizedConvTest {
    @ParameterizedTest
    @EnumSource(ImageLayout.class)
    void equalsItsTwinBitForBit(ImageLayout layout) {
        Random random = new Random(9);
        for (ConvShape shape : ConvShapes.all()) {
            check(shape, layout, random.nextBoolean(), random.nextBoolean(), random.nextBoolean(), random);
        }
    }

    @Test
    void extremesStayExact() {
        ConvShape shape = ConvShape.of(700, 2, 4, 33, 3, 1).padding(1, 0);
        byte[] in = new byte[700 * 8];
        Arrays.fill(in, (byte) 255);
        byte[] values = new byte[(int) shape.weightCount()];
        for (boolean signedWeights : new boolean[] {false, true}) {
            Arrays.fill(values, signedWeights ? (byte) -128 : (byte) 255);
            QuantizedWeights weights = new QuantizedWeights(values, signedWeights, new int[] {0});
            compare(
                    shape,
                    ImageLayout.NHWC,
                    in,
                    false,
                    0,
                    weights,
                    new int[33],
                    new Twins.Rule(new float[] {1e-6f}, 100, 0, 255));
        }
    }

    /** All that adds comes before all that takes away, in products and bias that are odd. */
    @ParameterizedTest
    @ValueSource(ints = {1036, 1040, 1400})
    void sumsAroundTheLargestExactFloatStayExact(int inC) {
        ConvShape shape = ConvShape.of(inC, 3, 3, 17, 1, 1);
        byte[] in = new byte[inC * 9];
        Arrays.fill(in, (byte) 255);
        byte[] values = new byte[inC * 17];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (i % inC < inC / 2 ? 127 : -127);
        }
        int[] bias = new int[17];
        Arrays.fill(bias, 77);
        compare(
                shape,
                ImageLayout.NHWC,
                in,
                false,
                0,
                new QuantizedWeights(values, true, new int[] {0}),
                bias,
                new Twins.Rule(new float[] {1}, 0, 0, 255));
    }

    /**
     * Units are panels of channels by bands of pixels, or of tiles of pixels, and are done together where they lie
     * together.
     */
    @ParameterizedTest
    @ValueSource(ints = {33, 160, 300})
    void anyRangesOfUnitsMakeTheWhole(int outC) {
        for (ConvShape shape : List.of(
                ConvShape.of(192, 7, 7, outC, 1, 1),
                ConvShape.of(32, 13, 11, outC, 3, 3).padding(1, 1),
                ConvShape.of(16, 24, 21, outC, 3, 3).padding(1, 1))) {
            Random random = new Random(outC);
            QuantizedWeights weights =
                    new QuantizedWeights(Twins.randomBytes(random, shape.weightCount()), true, new int[] {0});
            Requantization rule = Requantization.halfEven(new float[] {2e-4f}, 100, 0, 255);
            byte[] table = Twins.randomBytes(random, 256);
            QuantizedConv plain = nhwc(shape, weights, rule);
            QuantizedConv conv = nhwc(shape, weights, rule.mapped(table));
            QuantizedSum sum = QuantizedSum.halfEven(0.02f, 7, 0.03f, 20, false, 0.04f, 30, false, 0, 255);
            int pixels = shape.outH() * shape.outW();
            byte[] in = Twins.randomBytes(random, (long) shape.inC() * shape.inH() * shape.inW());
            byte[] residual = Twins.randomBytes(random, (long) outC * pixels);
            byte[] whole = new byte[outC * pixels];
            conv.runAdding(in, 0, residual, 0, sum, whole, 0, 0, conv.units());
            byte[] summedAfterwards = new byte[whole.length];
            plain.run(in, 0, summedAfterwards, 0, 0, plain.units());
            Quantizing.lookUp(summedAfterwards, 0, summedAfterwards, 0, whole.length, table);
            byte[] alone = new byte[whole.length];
            conv.run(in, 0, alone, 0, 0, conv.units());
            assertArrayEquals(summedAfterwards, alone);
            sum.run(summedAfterwards, 0, residual, 0, summedAfterwards, 0, whole.length);
            assertArrayEquals(summedAfterwards, whole);
            for (int first = 0; first <= conv.units(); first++) {
                for (int second = first; second <= conv.units(); second++) {
                    byte[] parts = new byte[whole.length];
                    conv.runAdding(in, 0, residual, 0, sum, parts, 0, first, second);
                    conv.runAdding(in, 0, residual, 0, sum, parts, 0, second, conv.units());
                    conv.runAgain(in, 0, residual, 0, sum, parts, 0, 0, first);
                    assertArrayEquals(whole, parts, first + " and " + second + " of " + conv.units());
                }
            }
        }
    }

    private static QuantizedConv nhwc(ConvShape shape, QuantizedWeights weights, Requantization rule) {
        int[] bias = new int[shape.outC()];
        return QuantizedConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, false, 9, weights, bias, rule);
    }

    /** Sums of the largest products, of as many channels as are computed by tiles, and of more. */
    @ParameterizedTest
    @ValueSource(ints = {1824, 1840})
    void tilesOfManyChannelsStayExact(int inC) {
        ConvShape shape = ConvShape.of(inC, 12, 12, 5, 3, 3).padding(1, 1);
        byte[] in = new byte[inC * 144];
        Arrays.fill(in, (byte) 255);
        byte[] values = new byte[(int) shape.weightCount()];
        Arrays.fill(values, (byte) -128);
        compare(
                shape,
                ImageLayout.NHWC,
                in,
                false,
                0,
                new QuantizedWeights(values, true, new int[] {0}),
                new int[5],
                new Twins.Rule(new float[] {4e-7f}, 255, 0, 255));
    }

    /** The largest sums that large tiles of pixels hold, and larger ones, of alike and of varied bytes. */
    @ParameterizedTest
    @ValueSource(ints = {112, 128})
    void largeTilesStayExact(int inC) {
        ConvShape shape = ConvShape.of(inC, 24, 22, 5, 3, 3).padding(1, 1);
        Random random = new Random(inC);
        for (boolean varied : new boolean[] {false, true}) {
            byte[] in = new byte[inC * 24 * 22];
            byte[] values = new byte[(int) shape.weightCount()];
            for (int i = 0; i < in.length; i++) {
                in[i] = (byte) (varied && random.nextBoolean() ? 0 : 255);
            }
            for (int i = 0; i < values.length; i++) {
                values[i] = (byte) (varied && random.nextBoolean() ? 127 : -128);
            }
            compare(
                    shape,
                    ImageLayout.NHWC,
                    in,
                    false,
                    0,
                    new QuantizedWeights(values, true, new int[] {0}),
                    new int[5],
                    new Twins.Rule(new float[] {varied ? 2e-4f : 6e-6f}, varied ? 128 : 255, 0, 255));
        }
    }

    @Test
    void refusesAtTheDoor() {
        ConvShape shape = ConvShape.of(2, 4, 4, 3, 1, 1);
        Requantization rule = Requantization.halfEven(new float[] {1}, 0, 0, 255);
        assertThrows(IllegalArgumentException.class, () -> new QuantizedWeights(new byte[6], true, new int[] {200}));
        QuantizedWeights weights = new QuantizedWeights(new byte[6], true, new int[] {0});
        assertThrows(
                IllegalArgumentException.class,
                () -> QuantizedConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, false, -1, weights, null, rule));
        assertThrows(
                IllegalArgumentException.class,
                () -> QuantizedConv.plan(
                        shape, ImageLayout.NHWC, ImageLayout.NHWC, false, 0, weights, new int[2], rule));
        assertThrows(IllegalArgumentException.class, () -> Requantization.halfEven(new float[] {Float.NaN}, 0, 0, 255));
        assertThrows(IllegalArgumentException.class, () -> Requantization.halfEven(new float[] {1}, 0, -1, 255));
    }

    /**
     * Of few weights all meet a few pixels, of more some meet all pixels: on both sides of that, and with channels that
     * fill no panel.
     */
    @ParameterizedTest
    @ValueSource(ints = {40, 64, 110, 200})
    void fewAndManyWeightsGiveTheTwinsBytes(int outC) {
        Random random = new Random(outC);
        for (ConvShape shape : List.of(
                ConvShape.of(3, 23, 41, outC, 7, 7).stride(2, 2).padding(3, 3),
                ConvShape.of(64, 19, 1, outC, 1, 1),
                ConvShape.of(64, 9, 11, outC, 3, 3).padding(1, 1),
                ConvShape.of(48, 26, 23, outC, 3, 3).padding(1, 0),
                ConvShape.of(128, 7, 13, outC, 1, 1))) {
            check(shape, ImageLayout.NHWC, false, true, true, random);
        }
    }

    private static void check(
            ConvShape shape,
            ImageLayout layout,
            boolean signedInput,
            boolean signedWeights,
            boolean perChannel,
            Random random) {
        byte[] in = Twins.randomBytes(random, (long) shape.inC() * shape.inH() * shape.inW());
        int scales = perChannel ? shape.outC() : 1;
        int[] zeroPoints = random.ints(scales, 0, 256)
                .map(z -> signedWeights ? perChannel ? 0 : z - 128 : z)
                .toArray();
        if (random.nextBoolean()) {
            Arrays.fill(zeroPoints, signedWeights ? 0 : 128);
        }
        QuantizedWeights weights =
                new QuantizedWeights(Twins.randomBytes(random, shape.weightCount()), signedWeights, zeroPoints);
        int[] bias = random.ints(shape.outC(), -5000, 5000).toArray();
        double typical = 0.02 / Math.sqrt(shape.weightCount() / (double) shape.outC());
        float[] factors = new float[scales];
        for (int i = 0; i < scales; i++) {
            factors[i] = (float) (typical * random.nextDouble(0.5, 1));
        }
        boolean signedOutput = random.nextBoolean();
        int zero = random.nextInt(256) - (signedOutput ? 128 : 0);
        int least = signedOutput ? -128 : 0;
        int min = random.nextBoolean() ? least : zero;
        compare(
                shape,
                layout,
                in,
                signedInput,
                random.nextInt(256) - (signedInput ? 128 : 0),
                weights,
                bias,
                new Twins.Rule(factors, zero, min, least + 255));
    }

    private static void compare(
            ConvShape shape,
            ImageLayout layout,
            byte[] in,
            boolean signedInput,
            int zeroPoint,
            QuantizedWeights weights,
            int[] bias,
            Twins.Rule rule) {
        int outPixels = shape.outH() * shape.outW();
        int[] sums = Twins.quantizedSums(shape, in, signedInput, zeroPoint, weights, bias);
        byte[] expected = new byte[sums.length];
        for (int i = 0; i < sums.length; i++) {
            expected[i] = (byte) rule.of(sums[i], i / outPixels);
        }
        byte[] laidIn = new byte[layout.size(shape.inC(), shape.inH(), shape.inW()) + 3];
        LayoutConversion.convert(shape.inC(), shape.inH() * shape.inW(), ImageLayout.NCHW, in, 0, layout, laidIn, 3);
        byte[] laidOut = new byte[layout.size(shape.outC(), shape.outH(), shape.outW()) + 1];
        QuantizedConv conv =
                QuantizedConv.plan(shape, layout, layout, signedInput, zeroPoint, weights, bias, rule.planned());
        conv.run(laidIn, 3, laidOut, 1, conv.units() / 3, conv.units());
        conv.run(laidIn, 3, laidOut, 1, 0, conv.units() / 3);
        assertArrayEquals(expected, plain(shape, layout, laidOut), () -> describe(shape, layout, signedInput, weights));
        byte[] again = new byte[laidOut.length];
        conv.run(laidIn, 3, again, 1, conv.units() / 2, conv.units());
        conv.runAgain(laidIn, 3, null, 0, null, again, 1, 0, conv.units() / 2);
        assertArrayEquals(laidOut, again, () -> "again " + describe(shape, layout, signedInput, weights));
        compareAdding(conv, layout, laidIn, laidOut, describe(shape, layout, signedInput, weights));
    }

    /** With a residual the same as convolution, then sum; {@code convolved} is the former's output, from 1. */
    private static void compareAdding(
            QuantizedConv conv, ImageLayout layout, byte[] in, byte[] convolved, String what) {
        Random random = new Random(convolved.length);
        byte[] residual = Twins.randomBytes(random, convolved.length + 1L);
        boolean fixedPoint = random.nextBoolean();
        Twins.Sum rule = new Twins.Sum(fixedPoint, 0.02f, 7, 0.03f, 20, 0.04f, 30, !fixedPoint);
        QuantizedSum sum = rule.planned();
        byte[] expected = new byte[convolved.length];
        for (int i = 1; i < expected.length; i++) {
            expected[i] = rule.of(convolved[i], residual[1 + i]);
        }
        byte[] actual = new byte[convolved.length];
        conv.runAdding(in, 3, residual, 2, sum, actual, 1, 0, conv.units() / 2);
        conv.runAgain(in, 3, residual, 2, sum, actual, 1, conv.units() / 2, conv.units());
        assertArrayEquals(plain(conv.shape(), layout, expected), plain(conv.shape(), layout, actual), what);
    }

    private static byte[] plain(ConvShape shape, ImageLayout layout, byte[] laidOut) {
        int pixels = shape.outH() * shape.outW();
        byte[] plain = new byte[shape.outC() * pixels];
        LayoutConversion.convert(shape.outC(), pixels, layout, laidOut, 1, ImageLayout.NCHW, plain, 0);
        return plain;
    }

    private static String describe(ConvShape shape, ImageLayout layout, boolean signedInput, QuantizedWeights weights) {
        return shape + " " + layout + " signed input " + signedInput + ", weights " + weights.signed() + " "
                + Arrays.toString(weights.zeroPoints());
    }
}
