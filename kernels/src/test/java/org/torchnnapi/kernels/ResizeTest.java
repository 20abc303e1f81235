package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ResizeTest {
    private static final int[][] EXTENTS = {
        {1, 1, 3, 2}, {4, 5, 8, 10}, {7, 3, 2, 9}, {6, 6, 6, 6}, {2, 2, 1, 1}, {3, 37, 5, 71}
    };

    private static float[] twin(int[] e, int channels, float[] in, boolean bilinear, Resize.Coordinates coordinates) {
        float[] out = new float[channels * e[2] * e[3]];
        for (int i = 0; i < out.length; i++) {
            int plane = i / (e[2] * e[3]) * e[0] * e[1];
            double y = at(coordinates, bilinear, i / e[3] % e[2], e[0], e[2]);
            double x = at(coordinates, bilinear, i % e[3], e[1], e[3]);
            if (!bilinear) {
                out[i] = in[plane + Math.min((int) y, e[0] - 1) * e[1] + Math.min((int) x, e[1] - 1)];
                continue;
            }
            int y0 = Math.min((int) y, e[0] - 1);
            int x0 = Math.min((int) x, e[1] - 1);
            int y1 = Math.min(y0 + 1, e[0] - 1);
            int x1 = Math.min(x0 + 1, e[1] - 1);
            out[i] = (float) ((1 - (y - y0))
                            * ((1 - (x - x0)) * in[plane + y0 * e[1] + x0] + (x - x0) * in[plane + y0 * e[1] + x1])
                    + (y - y0) * ((1 - (x - x0)) * in[plane + y1 * e[1] + x0] + (x - x0) * in[plane + y1 * e[1] + x1]));
        }
        return out;
    }

    private static Resize plan(
            int[] e, int channels, ImageLayout layout, boolean bilinear, Resize.Coordinates coordinates) {
        float scaleH = (float) e[0] / e[2];
        float scaleW = (float) e[1] / e[3];
        return bilinear
                ? Resize.bilinear(layout, channels, e[0], e[1], e[2], e[3], coordinates, scaleH, scaleW)
                : Resize.nearest(layout, channels, e[0], e[1], e[2], e[3], coordinates, scaleH, scaleW);
    }

    @ParameterizedTest
    @EnumSource(Resize.Coordinates.class)
    void equalsItsTwin(Resize.Coordinates coordinates) {
        Random random = new Random(1);
        for (int[] e : EXTENTS) {
            int channels = 19;
            float[] in = Twins.randomFloats(random, channels * e[0] * e[1]);
            for (boolean bilinear : new boolean[] {false, true}) {
                float[] expected = twin(e, channels, in, bilinear, coordinates);
                for (ImageLayout layout : ImageLayout.values()) {
                    Resize resize = plan(e, channels, layout, bilinear, coordinates);
                    float[] laidIn = new float[layout.size(channels, e[0], e[1])];
                    float[] laidOut = new float[layout.size(channels, e[2], e[3])];
                    LayoutConversion.convert(channels, e[0] * e[1], ImageLayout.NCHW, in, 0, layout, laidIn, 0);
                    resize.run(laidIn, 0, laidOut, 0, 0, resize.units());
                    float[] actual = new float[expected.length];
                    LayoutConversion.convert(channels, e[2] * e[3], layout, laidOut, 0, ImageLayout.NCHW, actual, 0);
                    assertArrayEquals(expected, actual, 1e-5f, coordinates + " " + layout + " bilinear " + bilinear);
                }
            }
        }
    }

    /** Floats to the bit, by the roundings that {@link Resize} promises; PyTorch's, by ci/quantized. */
    @ParameterizedTest
    @EnumSource(ImageLayout.class)
    void floatsAreRoundedAsPyTorchRounds(ImageLayout layout) {
        Random random = new Random(3);
        for (int[] e : EXTENTS) {
            for (int channels : new int[] {1, 3, 8, 19, 37}) {
                float[] in = Twins.randomFloats(random, channels * e[0] * e[1]);
                float[] laidIn = new float[layout.size(channels, e[0], e[1])];
                LayoutConversion.convert(channels, e[0] * e[1], ImageLayout.NCHW, in, 0, layout, laidIn, 0);
                for (boolean corners : new boolean[] {false, true}) {
                    float[] scale = {(float) e[0] / e[2], (float) e[1] / e[3]};
                    Resize.Coordinates middle = Resize.Coordinates.HALF_PIXEL_DOUBLE;
                    Resize resize = corners
                            ? Resize.bilinearByCorners(
                                    layout, channels, e[0], e[1], e[2], e[3], middle, scale[0], scale[1])
                            : Resize.bilinear(layout, channels, e[0], e[1], e[2], e[3], middle, scale[0], scale[1]);
                    float[] laidOut = new float[layout.size(channels, e[2], e[3])];
                    resize.run(laidIn, 0, laidOut, 0, 0, resize.units());
                    float[] actual = new float[channels * e[2] * e[3]];
                    LayoutConversion.convert(channels, e[2] * e[3], layout, laidOut, 0, ImageLayout.NCHW, actual, 0);
                    assertArrayEquals(
                            rounded(e, channels, in, corners, scale),
                            actual,
                            layout + " by corners " + corners + ", " + channels + " channels");
                }
            }
        }
    }

    private static float[] rounded(int[] e, int channels, float[] in, boolean corners, float[] scale) {
        float[] out = new float[channels * e[2] * e[3]];
        for (int i = 0; i < out.length; i++) {
            int channel = i / (e[2] * e[3]);
            double y = e[0] == e[2] ? i / e[3] % e[2] : Math.max((i / e[3] % e[2] + 0.5) * scale[0] - 0.5, 0);
            double x = e[1] == e[3] ? i % e[3] : Math.max((i % e[3] + 0.5) * scale[1] - 0.5, 0);
            int top = (channel * e[0] + (int) y) * e[1];
            int bottom = (channel * e[0] + Math.min((int) y + 1, e[0] - 1)) * e[1];
            int right = Math.min((int) x + 1, e[1] - 1);
            float a = in[top + (int) x];
            float b = in[top + right];
            float c = in[bottom + (int) x];
            float d = in[bottom + right];
            float v = (float) (y - (int) y);
            float w = (float) (x - (int) x);
            if (!corners) {
                out[i] = Math.fma(Math.fma(a, 1 - w, b * w), 1 - v, Math.fma(c, 1 - w, d * w) * v);
            } else if (channel < channels / 8 * 8) {
                out[i] =
                        Math.fma(a, (1 - v) * (1 - w), Math.fma(b, (1 - v) * w, Math.fma(d, v * w, c * (v * (1 - w)))));
            } else {
                out[i] = (float) ((double) a * ((1 - v) * (1 - w))
                        + (double) b * ((1 - v) * w)
                        + (double) c * (v * (1 - w))
                        + (double) d * (v * w));
            }
        }
        return out;
    }

    /** Each byte the twin's number rounded; where that is near the middle of two bytes, either. */
    @ParameterizedTest
    @EnumSource(Resize.Coordinates.class)
    void bytesEqualTheirTwin(Resize.Coordinates coordinates) {
        Random random = new Random(2);
        for (int[] e : EXTENTS) {
            for (int channels : new int[] {1, 3, 16, 37, 70}) {
                byte[] in = Twins.randomBytes(random, (long) channels * e[0] * e[1]);
                boolean signed = channels % 2 == 0;
                float[] numbers = new float[in.length];
                for (int i = 0; i < in.length; i++) {
                    numbers[i] = signed ? in[i] : in[i] & 0xff;
                }
                for (boolean bilinear : new boolean[] {false, true}) {
                    float[] expected = twin(e, channels, numbers, bilinear, coordinates);
                    ImageLayout layout = ImageLayout.values()[random.nextInt(3)];
                    Resize resize = plan(e, channels, layout, bilinear, coordinates);
                    byte[] laidIn = new byte[layout.size(channels, e[0], e[1])];
                    byte[] laidOut = new byte[layout.size(channels, e[2], e[3])];
                    LayoutConversion.convert(channels, e[0] * e[1], ImageLayout.NCHW, in, 0, layout, laidIn, 0);
                    int half = resize.units() / 2;
                    resize.run(laidIn, 0, laidOut, 0, signed, Rounding.HALF_AWAY, half, resize.units());
                    resize.run(laidIn, 0, laidOut, 0, signed, Rounding.HALF_AWAY, 0, half);
                    byte[] actual = new byte[expected.length];
                    LayoutConversion.convert(channels, e[2] * e[3], layout, laidOut, 0, ImageLayout.NCHW, actual, 0);
                    for (int i = 0; i < actual.length; i++) {
                        assertEquals(
                                expected[i],
                                signed ? actual[i] : actual[i] & 0xff,
                                0.5 + 1e-3,
                                coordinates + " " + layout + " element " + i);
                    }
                }
            }
        }
    }

    @Test
    void bytesAreMixedAndRounded() {
        Resize resize = Resize.bilinear(ImageLayout.NHWC, 1, 1, 2, 1, 4, Resize.Coordinates.ASYMMETRIC, 1, 0.5f);
        byte[] out = new byte[4];
        resize.run(new byte[] {(byte) 200, (byte) 203}, 0, out, 0, false, Rounding.HALF_AWAY, 0, 1);
        assertEquals((byte) 202, out[1]);
        resize.run(new byte[] {(byte) 200, (byte) 201}, 0, out, 0, false, Rounding.HALF_EVEN, 0, 1);
        assertEquals((byte) 200, out[1]);
        assertThrows(
                IllegalArgumentException.class,
                () -> Resize.nearest(ImageLayout.NCHW, 1, 0, 2, 1, 4, Resize.Coordinates.ASYMMETRIC, 1, 1));
    }

    /** Far from the start a float position is off by more than a weight's rounding. */
    @Test
    void positionsAreDoublesWherePyTorchHasThem() {
        int in = 1000;
        int out = 3001;
        float[] zigzag = new float[in];
        for (int i = 0; i < in; i++) {
            zigzag[i] = i % 2;
        }
        float[] actual = new float[out];
        Resize resize = Resize.bilinear(
                ImageLayout.NHWC, 1, 1, in, 1, out, Resize.Coordinates.HALF_PIXEL_DOUBLE, 1, (float) in / out);
        resize.run(zigzag, 0, actual, 0, 0, 1);
        for (int i = 0; i < out; i++) {
            double at = Math.min(Math.max((i + 0.5) * ((float) in / out) - 0.5, 0), in - 1);
            double part = at - Math.floor(at);
            assertEquals((long) at % 2 == 0 ? part : 1 - part, actual[i], 1e-7, "element " + i);
        }
    }

    @Test
    void whatKeepsItsExtentKeepsItsElements() {
        float[] in = {3, 1, 4};
        float[] out = new float[3];
        Resize.bilinear(ImageLayout.NHWC, 1, 1, 3, 1, 3, Resize.Coordinates.HALF_PIXEL_DOUBLE, 1, 0.9f)
                .run(in, 0, out, 0, 0, 1);
        assertArrayEquals(in, out);
    }

    private static double at(Resize.Coordinates coordinates, boolean bilinear, int i, int in, int out) {
        return switch (coordinates) {
            case ASYMMETRIC -> (double) i * in / out;
            case HALF_PIXEL, HALF_PIXEL_DOUBLE ->
                bilinear ? Math.max((i + 0.5) * in / out - 0.5, 0) : (i + 0.5) * in / out;
            case ALIGN_CORNERS, ALIGN_CORNERS_DOUBLE ->
                (out > 1 ? (double) i * (in - 1) / (out - 1) : 0) + (bilinear ? 0 : 0.5);
        };
    }
}
