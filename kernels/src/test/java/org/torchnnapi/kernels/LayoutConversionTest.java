package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LayoutConversionTest {
    @Test
    void everyRoundTripIsExactAndSpareLanesAreZero() {
        Random random = new Random(1);
        for (int channels : new int[] {1, 3, 16, 35, 64}) {
            for (int pixels : new int[] {1, 7, 150}) {
                float[] floats = Twins.randomFloats(random, channels * pixels);
                byte[] bytes = Twins.randomBytes(random, floats.length);
                for (ImageLayout a : ImageLayout.values()) {
                    for (ImageLayout b : ImageLayout.values()) {
                        float[] first = new float[a.size(channels, pixels, 1)];
                        float[] second = new float[b.size(channels, pixels, 1)];
                        float[] back = new float[floats.length];
                        LayoutConversion.convert(channels, pixels, ImageLayout.NCHW, floats, 0, a, first, 0);
                        LayoutConversion.convert(channels, pixels, a, first, 0, b, second, 0);
                        LayoutConversion.convert(channels, pixels, b, second, 0, ImageLayout.NCHW, back, 0);
                        assertArrayEquals(floats, back);
                        byte[] firstBytes = new byte[first.length];
                        byte[] secondBytes = new byte[second.length];
                        byte[] backBytes = new byte[bytes.length];
                        LayoutConversion.convert(channels, pixels, ImageLayout.NCHW, bytes, 0, a, firstBytes, 0);
                        LayoutConversion.convert(channels, pixels, a, firstBytes, 0, b, secondBytes, 0);
                        LayoutConversion.convert(channels, pixels, b, secondBytes, 0, ImageLayout.NCHW, backBytes, 0);
                        assertArrayEquals(bytes, backBytes);
                    }
                }
            }
        }
    }

    @Test
    void rangesOfPixelsMakeTheWhole() {
        Random random = new Random(2);
        float[] in = Twins.randomFloats(random, 21 * 83);
        byte[] bytes = Twins.randomBytes(random, 21 * 83);
        for (ImageLayout to : ImageLayout.values()) {
            float[] whole = new float[to.size(21, 83, 1)];
            float[] parts = new float[whole.length];
            byte[] wholeBytes = new byte[whole.length];
            byte[] partBytes = new byte[whole.length];
            LayoutConversion.convert(21, 83, ImageLayout.NHWC, in, 0, to, whole, 0);
            LayoutConversion.convert(21, 83, ImageLayout.NHWC, bytes, 0, to, wholeBytes, 0);
            for (int[] range : new int[][] {{40, 83}, {0, 7}, {7, 40}}) {
                LayoutConversion.convert(21, 83, ImageLayout.NHWC, in, 0, to, parts, 0, range[0], range[1]);
                LayoutConversion.convert(21, 83, ImageLayout.NHWC, bytes, 0, to, partBytes, 0, range[0], range[1]);
            }
            assertArrayEquals(whole, parts);
            assertArrayEquals(wholeBytes, partBytes);
        }
    }

    @Test
    void photosInterleaveInRanges() {
        byte[] in = Twins.randomBytes(new Random(3), 3 * 301);
        byte[] out = new byte[in.length + 2];
        for (int[] range : new int[][] {{290, 301}, {0, 5}, {5, 290}}) {
            LayoutConversion.convert(3, 301, ImageLayout.NCHW, in, 0, ImageLayout.NHWC, out, 1, range[0], range[1]);
        }
        byte[] expected = new byte[out.length];
        for (int i = 0; i < in.length; i++) {
            expected[1 + i] = in[i % 3 * 301 + i / 3];
        }
        assertArrayEquals(expected, out);

        float[] floats = Twins.randomFloats(new Random(3), 3 * 301);
        float[] pixels = new float[floats.length + 2];
        for (int[] range : new int[][] {{290, 301}, {0, 5}, {5, 290}}) {
            LayoutConversion.convert(
                    3, 301, ImageLayout.NCHW, floats, 0, ImageLayout.NHWC, pixels, 1, range[0], range[1]);
        }
        float[] expectedPixels = new float[pixels.length];
        for (int i = 0; i < floats.length; i++) {
            expectedPixels[1 + i] = floats[i % 3 * 301 + i / 3];
        }
        assertArrayEquals(expectedPixels, pixels);
    }

    @Test
    void blockedImagesKeepChannelsOfABlockTogether() {
        int block = Kernels.channelBlock();
        float[] in = new float[(block + 1) * 2];
        in[2 * block] = 5;
        float[] out = new float[ImageLayout.BLOCKED.size(block + 1, 2, 1)];
        LayoutConversion.convert(block + 1, 2, ImageLayout.NCHW, in, 0, ImageLayout.BLOCKED, out, 0);
        assertEquals(4 * block, out.length);
        assertEquals(5, out[2 * block]);
    }
}
