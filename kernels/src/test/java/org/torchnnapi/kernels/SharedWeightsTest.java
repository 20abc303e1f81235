package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Plans share packed weights where, and only where, they are the same. */
// Others' plans, or pages, would be counted as well.
@Isolated
class SharedWeightsTest {
    private static final int CHANNELS = 64;

    private static FloatConv plan(float[] weights, int side, float[] bias) {
        ConvShape shape = ConvShape.of(CHANNELS, side, side, CHANNELS, 1, 1);
        return FloatConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, weights, bias, Clamp.NONE);
    }

    private static float[] random(Random random, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    private static float[] run(FloatConv plan, float[] in) {
        float[] out = new float[in.length];
        plan.run(in, 0, out, 0, 0, plan.units());
        return out;
    }

    @Test
    void imagesOfOtherSizesAndOtherBiasesShareThem() {
        Random random = new Random(3);
        float[] weights = random(random, CHANNELS * CHANNELS);
        float[] in = random(random, 9 * CHANNELS);
        FloatConv first = plan(weights, 3, random(random, CHANNELS));
        float[] expected = run(first, in);
        long one = Kernels.sharedWeightBytes();
        assumeTrue(one > 0, "these kernels are not native");
        FloatConv second = plan(weights.clone(), 5, random(random, CHANNELS));
        FloatConv third = plan(weights.clone(), 3, random(random, CHANNELS));
        assertEquals(one, Kernels.sharedWeightBytes());
        float[] zeros = run(third, new float[in.length]);
        float[] zerosOfFirst = run(first, new float[in.length]);
        float[] shifted = run(third, in);
        float[] again = new float[in.length];
        for (int i = 0; i < again.length; i++) {
            again[i] = shifted[i] - zeros[i] + zerosOfFirst[i];
        }
        assertArrayEquals(expected, again, 1e-4f);
        assertEquals(25 * CHANNELS, run(second, random(random, 25 * CHANNELS)).length);
    }

    @Test
    void oneOtherWeightIsAnotherMemory() {
        Random random = new Random(5);
        float[] weights = random(random, CHANNELS * CHANNELS);
        float[] in = random(random, 9 * CHANNELS);
        FloatConv first = plan(weights, 3, null);
        float[] before = run(first, in);
        // Neither the first nor the last, and none that a sample of every 64th sees.
        float[] other = weights.clone();
        other[37] += 1;
        FloatConv second = plan(other, 3, null);
        float[] changed = run(second, in);
        assertArrayEquals(before, run(first, in));
        for (int pixel = 0; pixel < 9; pixel++) {
            assertEquals(before[pixel * CHANNELS] + in[pixel * CHANNELS + 37], changed[pixel * CHANNELS], 1e-4f);
            assertEquals(before[pixel * CHANNELS + 1], changed[pixel * CHANNELS + 1]);
        }
    }

    /** Weights of an origin, counting how often they are read. */
    private static final class Counted implements Weights {
        private final float[] values;
        private final WeightsOrigin origin;
        private int reads;

        Counted(float[] values, WeightsOrigin origin) {
            this.values = values;
            this.origin = origin;
        }

        @Override
        public int length() {
            return values.length;
        }

        @Override
        public float[] values() {
            reads++;
            return values;
        }

        @Override
        public WeightsOrigin origin() {
            return origin;
        }
    }

    private static final ImageLayout[] LAYOUTS = {ImageLayout.NCHW, ImageLayout.NHWC, ImageLayout.BLOCKED};

    /** The same convolution of images of another size. */
    private static ConvShape sized(ConvShape s, int height, int width) {
        return new ConvShape(
                s.inC(),
                height,
                width,
                s.outC(),
                s.kernelH(),
                s.kernelW(),
                s.strideH(),
                s.strideW(),
                s.dilationH(),
                s.dilationW(),
                s.padTop(),
                s.padBottom(),
                s.padLeft(),
                s.padRight(),
                s.groups(),
                s.transposed(),
                s.outputPadH(),
                s.outputPadW());
    }

    /**
     * Every kind of convolution, whose weights are packed in one way for some images and in another for others, in
     * every layout.
     */
    @Test
    void whatIsKnownOfAnOriginGivesWhatIsPackedAnew() {
        Random random = new Random(7);
        List<ConvShape> kinds = List.of(
                ConvShape.of(33, 1, 1, 40, 1, 1),
                ConvShape.of(40, 1, 1, 64, 3, 3).padding(1, 1),
                ConvShape.of(3, 1, 1, 64, 7, 7).padding(3, 3).stride(2, 2),
                ConvShape.of(160, 1, 1, 160, 3, 3).padding(1, 1).groups(160),
                ConvShape.of(40, 1, 1, 64, 3, 3).padding(1, 1).groups(4),
                ConvShape.of(40, 1, 1, 36, 3, 3).stride(2, 2).transposed(0, 0));
        for (ConvShape kind : kinds) {
            float[] values = random(random, (int) kind.weightCount());
            float[] bias = random(random, kind.outC());
            WeightsOrigin origin = WeightsOrigin.of(values);
            for (int side : new int[] {1, 7, 40, 3, 20, 56}) {
                ConvShape shape = sized(kind, side, side + 1);
                for (ImageLayout in : LAYOUTS) {
                    for (ImageLayout out : LAYOUTS) {
                        FloatConv known =
                                FloatConv.plan(shape, in, out, new Counted(values, origin), bias, Activation.NONE);
                        FloatConv anew = FloatConv.plan(shape, in, out, values.clone(), bias, Activation.NONE);
                        float[] image = random(random, in.size(shape.inC(), shape.inH(), shape.inW()));
                        float[] expected = new float[out.size(shape.outC(), shape.outH(), shape.outW())];
                        float[] actual = expected.clone();
                        anew.run(image, 0, expected, 0, 0, anew.units());
                        known.run(image, 0, actual, 0, 0, known.units());
                        assertArrayEquals(expected, actual, shape + " " + in + " to " + out);
                    }
                }
            }
        }
    }

    @Test
    void weightsOfAnOriginAreReadOnceForImagesOfAllSizes() {
        Random random = new Random(9);
        float[] values = random(random, CHANNELS * CHANNELS);
        Counted weights = new Counted(values, WeightsOrigin.of(values));
        ConvShape shape = ConvShape.of(CHANNELS, 3, 3, CHANNELS, 1, 1);
        FloatConv first = FloatConv.plan(shape, ImageLayout.NHWC, ImageLayout.NHWC, weights, null, Activation.NONE);
        assumeTrue(Kernels.sharedWeightBytes() > 0, "these kernels are not native");
        int reads = weights.reads;
        FloatConv second =
                FloatConv.plan(sized(shape, 5, 5), ImageLayout.NHWC, ImageLayout.NHWC, weights, null, Activation.NONE);
        assertEquals(reads, weights.reads);
        values[37] += 1;
        FloatConv changed = FloatConv.plan(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                new Counted(values, WeightsOrigin.of(values, "written")),
                null,
                Activation.NONE);
        float[] in = new float[9 * CHANNELS];
        in[37] = 1;
        assertEquals(run(first, in)[0] + 1, run(changed, in)[0], 1e-4f);
        assertTrue(second.units() > 0);
    }

    private static float[] outputs(FloatRecurrent layer, float[] in, int inputs, int hidden) {
        int steps = in.length / inputs;
        float[] out = new float[steps * hidden];
        layer.run(
                in,
                new FloatRecurrent.Strides(0, inputs, inputs),
                out,
                new FloatRecurrent.Strides(0, hidden, hidden),
                steps,
                1,
                false,
                new float[hidden],
                0,
                new float[hidden],
                0,
                0,
                1);
        return out;
    }

    @Test
    void recurrentWeightsOfAnOriginAreReadOnceForOneForm() {
        Random random = new Random(13);
        float[] ofInput = random(random, 3 * 40 * 40);
        float[] ofHidden = random(random, 3 * 40 * 40);
        Counted input = new Counted(ofInput, WeightsOrigin.of(ofInput));
        Counted hidden = new Counted(ofHidden, WeightsOrigin.of(ofHidden));
        float[] in = random(random, 5 * 40);
        FloatRecurrent first = FloatRecurrent.plan(FloatRecurrent.Cell.GRU, 40, 40, input, hidden, null, null);
        float[] expected = outputs(first, in, 40, 40);
        assertArrayEquals(
                outputs(
                        FloatRecurrent.plan(
                                FloatRecurrent.Cell.GRU, 40, 40, ofInput.clone(), ofHidden.clone(), null, null),
                        in,
                        40,
                        40),
                expected);
        // As many weights of another cell lie in another way.
        float[] other = random(random, 4 * 30 * 30);
        assertArrayEquals(
                outputs(
                        FloatRecurrent.plan(FloatRecurrent.Cell.LSTM, 40, 30, ofInput.clone(), other, null, null),
                        in,
                        40,
                        30),
                outputs(
                        FloatRecurrent.plan(FloatRecurrent.Cell.LSTM, 40, 30, input, Weights.of(other), null, null),
                        in,
                        40,
                        30));
        assumeTrue(Kernels.sharedWeightBytes() > 0, "these kernels are not native");
        int reads = input.reads + hidden.reads;
        FloatRecurrent again =
                FloatRecurrent.plan(FloatRecurrent.Cell.GRU, 40, 40, input, hidden, random(random, 120), null);
        assertEquals(reads, input.reads + hidden.reads);
        assertTrue(again.units(1) > 0);
        assertArrayEquals(expected, outputs(first, in, 40, 40));
    }

    private static byte[] bytes(Random random, long count) {
        byte[] values = new byte[(int) count];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (random.nextInt(101) - 50);
        }
        return values;
    }

    private static QuantizedConv plan(
            ConvShape shape, ImageLayout layout, boolean signedInput, QuantizedWeights weights) {
        int least = signedInput ? -128 : 0;
        return QuantizedConv.plan(
                shape,
                layout,
                layout,
                signedInput,
                signedInput ? -3 : 7,
                weights,
                new int[shape.outC()],
                Requantization.halfEven(new float[] {0.0007f}, least + 122, least, least + 255));
    }

    private static byte[] run(QuantizedConv plan, byte[] in) {
        ConvShape s = plan.shape();
        byte[] out = new byte[s.outC() * s.outH() * s.outW()];
        plan.run(in, 0, out, 0, KernelPool.shared());
        return out;
    }

    /**
     * One origin for all: what was packed for another kind of convolution, image, sign or zero point must not be taken.
     */
    @Test
    void integersOfOneOriginAreFoundForWhatTheyWerePackedFor() {
        Random random = new Random(9);
        int count = 64 * 64 * 9;
        byte[] values = bytes(random, count);
        Object memory = new Object();
        List<QuantizedConv> alive = new ArrayList<>();
        for (int side : new int[] {4, 7, 12}) {
            ConvShape square = ConvShape.of(64, side, side, 64, 3, 3);
            ConvShape each = ConvShape.of(4096, 4, 4, 4096, 3, 3).padding(1, 1);
            ConvShape[] shapes = {
                square.padding(1, 1),
                square.padding(1, 1).stride(2, 2),
                square.padding(2, 2).dilation(2, 2),
                square.transposed(0, 0),
                ConvShape.of(64 * 9, side, side, 64, 1, 1),
                ConvShape.of(64, side, side, 64 * 9, 1, 1),
                each.groups(4096),
                each.stride(2, 2).groups(4096)
            };
            for (ConvShape shape : shapes) {
                for (boolean signed : new boolean[] {true, false}) {
                    for (int zeroPoint : new int[] {0, 5}) {
                        byte[] own = signed ? values : shifted(values);
                        int[] zeroPoints = {signed ? zeroPoint : 128 + zeroPoint};
                        WeightsOrigin origin = WeightsOrigin.of(memory);
                        QuantizedConv known = plan(
                                shape, ImageLayout.NHWC, signed, new QuantizedWeights(own, signed, zeroPoints, origin));
                        alive.add(known);
                        byte[] in = bytes(random, (long) shape.inC() * shape.inH() * shape.inW());
                        QuantizedConv plain =
                                plan(shape, ImageLayout.NHWC, signed, new QuantizedWeights(own, signed, zeroPoints));
                        assertArrayEquals(
                                run(plain, in),
                                run(known, in),
                                () -> shape + " signed " + signed + ", zero point " + zeroPoint);
                    }
                }
            }
        }
        assertTrue(alive.size() > 90, "plans: " + alive.size());
    }

    private static byte[] shifted(byte[] values) {
        byte[] unsigned = values.clone();
        for (int i = 0; i < unsigned.length; i++) {
            unsigned[i] ^= (byte) 0x80;
        }
        return unsigned;
    }

    /** Weights that say to come from where others come from are not looked at: what those were packed as is taken. */
    @Test
    void integersOfAKnownOriginAreNotPackedAgain() {
        Random random = new Random(11);
        byte[] values = bytes(random, 64 * 64);
        Object memory = new Object();
        WeightsOrigin kept = WeightsOrigin.of(memory, 1);
        ConvShape shape = ConvShape.of(64, 3, 3, 64, 1, 1);
        Requantization rounding = Requantization.halfEven(new float[] {0.001f}, 120, 0, 255);
        QuantizedConv first = QuantizedConv.plan(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                false,
                0,
                new QuantizedWeights(values, true, new int[1], kept),
                new int[64],
                rounding);
        assumeTrue(Kernels.sharedWeightBytes() > 0, "these kernels are not native");
        byte[] in = bytes(random, 9 * 64);
        QuantizedConv second = QuantizedConv.plan(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                false,
                0,
                new QuantizedWeights(new byte[values.length], true, new int[1], kept),
                new int[64],
                rounding);
        assertArrayEquals(run(first, in), run(second, in));
    }
}
