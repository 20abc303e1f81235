package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupNormTest {
    private static final float EPSILON = 1e-3f;

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1",
        "6, 2, 35",
        "16, 8, 100",
        "20, 20, 49",
        "24, 3, 130",
        "32, 1, 9",
        "64, 2, 65",
        "48, 3, 7",
        "40, 4, 13",
        "128, 8, 300"
    })
    void equalsItsTwin(int channels, int groups, int pixels) {
        Random random = new Random(channels);
        float[] in = Twins.randomFloats(random, channels * pixels);
        for (int i = 0; i < in.length; i++) {
            in[i] += 30;
        }
        float[] scale = Twins.randomFloats(random, channels);
        float[] shift = Twins.randomFloats(random, channels);
        int size = channels / groups * pixels;
        for (ImageLayout layout : ImageLayout.values()) {
            if (!GroupNorm.covers(layout, channels, groups)) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> GroupNorm.plan(layout, channels, groups, pixels, EPSILON, scale, shift));
                continue;
            }
            GroupNorm norm = GroupNorm.plan(layout, channels, groups, pixels, EPSILON, scale, shift);
            float[] laid = new float[layout.size(channels, pixels, 1) + 1];
            LayoutConversion.convert(channels, pixels, ImageLayout.NCHW, in, 0, layout, laid, 1);
            int half = norm.units() / 2;
            norm.run(laid, 1, laid, 1, half, norm.units());
            norm.run(laid, 1, laid, 1, 0, half);
            float[] out = new float[in.length];
            LayoutConversion.convert(channels, pixels, layout, laid, 1, ImageLayout.NCHW, out, 0);
            for (int i = 0; i < out.length; i++) {
                double[] moments = Twins.moments(in, i / size * size, size);
                double x = (in[i] - moments[0]) / Math.sqrt(moments[1] + EPSILON);
                assertEquals(x * scale[i / pixels] + shift[i / pixels], out[i], 3e-5, layout + " element " + i);
            }
        }
    }

    @Test
    void whatFillsUpBlocksIsZero() {
        int channels = Kernels.channelBlock() + 1;
        float[] image = new float[ImageLayout.BLOCKED.size(channels, 3, 1)];
        float[] shift = new float[channels];
        Arrays.fill(shift, 1);
        GroupNorm norm = GroupNorm.plan(ImageLayout.BLOCKED, channels, channels, 3, EPSILON, null, shift);
        norm.run(image, 0, image, 0, 0, norm.units());
        int ones = 0;
        for (float value : image) {
            assertTrue(value == 0 || value == 1);
            ones += (int) value;
        }
        assertEquals(3 * channels, ones);
    }

    @Test
    void groupsDivideChannels() {
        assertThrows(
                IllegalArgumentException.class, () -> GroupNorm.plan(ImageLayout.NCHW, 6, 4, 9, EPSILON, null, null));
    }
}
