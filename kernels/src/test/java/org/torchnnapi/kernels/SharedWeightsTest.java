package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Plans share packed weights where, and only where, they are the same. */
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
}
