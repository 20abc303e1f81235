package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PoolingTest {
    private static final List<Pooling.Window> WINDOWS = List.of(
            new Pooling.Window(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0),
            new Pooling.Window(33, 7, 7, 1, 1, 7, 7, 1, 1, 1, 1, 0, 0, 0, 0),
            new Pooling.Window(700, 7, 7, 1, 1, 7, 7, 1, 1, 1, 1, 0, 0, 0, 0),
            new Pooling.Window(16, 9, 11, 5, 6, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1),
            new Pooling.Window(5, 6, 6, 3, 3, 3, 2, 2, 2, 1, 1, 0, 0, 0, 0),
            new Pooling.Window(3, 5, 8, 5, 9, 2, 4, 1, 1, 1, 1, 1, 2, 0, 2),
            new Pooling.Window(2, 9, 9, 5, 5, 3, 3, 1, 1, 2, 2, 0, 0, 0, 0),
            new Pooling.Window(100, 19, 10, 10, 5, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1),
            new Pooling.Window(40, 12, 10, 12, 10, 5, 5, 1, 1, 1, 1, 2, 2, 2, 2),
            new Pooling.Window(70, 4, 40, 2, 20, 2, 3, 2, 2, 1, 1, 0, 1, 0, 0),
            new Pooling.Window(3, 2, 700, 2, 233, 1, 5, 1, 3, 1, 1, 0, 2, 0, 2),
            new Pooling.Window(2, 1, 600, 1, 1, 1, 600, 1, 1, 1, 1, 0, 0, 0, 0),
            Pooling.Window.adaptive(33, 10, 7, 7, 7),
            Pooling.Window.adaptive(16, 3, 11, 5, 4),
            Pooling.Window.adaptive(70, 1, 1, 3, 2),
            Pooling.Window.adaptive(2, 5, 1300, 2, 9));

    @ParameterizedTest
    @EnumSource(Pooling.Kind.class)
    void equalsItsTwin(Pooling.Kind kind) {
        Random random = new Random(6);
        for (Pooling.Window w : WINDOWS) {
            if (kind != Pooling.Kind.MAX && w.dilationH() > 1) {
                continue;
            }
            float[] in = Twins.randomFloats(random, w.channels() * w.inH() * w.inW());
            float[] expected = twin(kind, w, in, Clamp.RELU1, 0);
            byte[] bytes = Twins.randomBytes(random, in.length);
            float[] asFloats = new float[in.length];
            for (int i = 0; i < in.length; i++) {
                asFloats[i] = bytes[i];
            }
            float[] means = twin(kind, w, asFloats, Clamp.NONE, -7);
            byte[] expectedBytes = new byte[means.length];
            byte[] aboveZero = new byte[means.length];
            for (int i = 0; i < means.length; i++) {
                expectedBytes[i] = (byte) Math.rint(means[i]);
                aboveZero[i] = (byte) Math.min(Math.max(Rounding.HALF_AWAY.round(means[i] + 7.0) - 7, -100), 90);
            }
            for (ImageLayout layout : ImageLayout.values()) {
                Pooling pooling = Pooling.plan(kind, w, layout, Clamp.RELU1);
                float[] laidIn = new float[layout.size(w.channels(), w.inH(), w.inW())];
                float[] laidOut = new float[layout.size(w.channels(), w.outH(), w.outW())];
                LayoutConversion.convert(w.channels(), w.inH() * w.inW(), ImageLayout.NCHW, in, 0, layout, laidIn, 0);
                int half = pooling.units() / 2;
                pooling.run(laidIn, 0, laidOut, 0, half, pooling.units());
                pooling.run(laidIn, 0, laidOut, 0, 0, half);
                float[] actual = new float[expected.length];
                LayoutConversion.convert(
                        w.channels(), w.outH() * w.outW(), layout, laidOut, 0, ImageLayout.NCHW, actual, 0);
                assertArrayEquals(expected, actual, 1e-5f, () -> w + " " + layout);

                byte[] bytesIn = new byte[laidIn.length];
                byte[] bytesOut = new byte[laidOut.length];
                LayoutConversion.convert(
                        w.channels(), w.inH() * w.inW(), ImageLayout.NCHW, bytes, 0, layout, bytesIn, 0);
                pooling.run(bytesIn, 0, bytesOut, 0, true, -7, Rounding.HALF_EVEN, -128, 127, 0, pooling.byteUnits());
                byte[] actualBytes = new byte[expected.length];
                LayoutConversion.convert(
                        w.channels(), w.outH() * w.outW(), layout, bytesOut, 0, ImageLayout.NCHW, actualBytes, 0);
                assertArrayEquals(expectedBytes, actualBytes, () -> w + " " + layout);

                int halfOfBytes = pooling.byteUnits() / 2;
                pooling.runAboveZero(
                        bytesIn,
                        0,
                        bytesOut,
                        0,
                        true,
                        -7,
                        Rounding.HALF_AWAY,
                        -100,
                        90,
                        halfOfBytes,
                        pooling.byteUnits());
                pooling.runAboveZero(bytesIn, 0, bytesOut, 0, true, -7, Rounding.HALF_AWAY, -100, 90, 0, halfOfBytes);
                LayoutConversion.convert(
                        w.channels(), w.outH() * w.outW(), layout, bytesOut, 0, ImageLayout.NCHW, actualBytes, 0);
                assertArrayEquals(aboveZero, actualBytes, () -> w + " above zero " + layout);
            }
        }
    }

    @Test
    void refusesWindowsThatMissTheImage() {
        assertThrows(
                IllegalArgumentException.class, () -> new Pooling.Window(1, 4, 4, 6, 4, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
        assertThrows(
                IllegalArgumentException.class, () -> new Pooling.Window(1, 4, 4, 4, 4, 2, 2, 1, 1, 1, 1, 2, 0, 0, 0));
    }

    private static float[] twin(Pooling.Kind kind, Pooling.Window w, float[] in, Clamp clamp, float padding) {
        float[] out = new float[w.channels() * w.outH() * w.outW()];
        for (int i = 0; i < out.length; i++) {
            int c = i / (w.outH() * w.outW());
            int startY = i / w.outW() % w.outH() * w.strideH() - w.padTop();
            int startX = i % w.outW() * w.strideW() - w.padLeft();
            float max = Float.NEGATIVE_INFINITY;
            double sum = 0;
            int count = 0;
            if (w.adaptive()) {
                startY = (int) Math.floor((double) (i / w.outW() % w.outH()) * w.inH() / w.outH());
                startX = (int) Math.floor((double) (i % w.outW()) * w.inW() / w.outW());
            }
            double endY = w.adaptive() ? Math.ceil((i / w.outW() % w.outH() + 1.0) * w.inH() / w.outH()) : w.inH();
            double endX = w.adaptive() ? Math.ceil((i % w.outW() + 1.0) * w.inW() / w.outW()) : w.inW();
            for (int k = 0; k < w.kernelH() * w.kernelW(); k++) {
                int y = startY + k / w.kernelW() * w.dilationH();
                int x = startX + k % w.kernelW() * w.dilationW();
                boolean inside = y >= 0 && y < endY && x >= 0 && x < endX;
                boolean padded = !w.adaptive() && y < w.inH() + w.padBottom() && x < w.inW() + w.padRight();
                if (inside) {
                    float value = in[(c * w.inH() + y) * w.inW() + x];
                    max = Math.max(max, value);
                    sum += value;
                    count++;
                } else if (padded && kind == Pooling.Kind.AVERAGE_WITH_PADDING) {
                    sum += padding;
                    count++;
                }
            }
            out[i] = clamp.apply(kind == Pooling.Kind.MAX ? max : (float) (sum / count));
        }
        return out;
    }

    /** 7 of 14 is half way; in float32 times a factor a hair above or below a 14th it is not. */
    @Test
    void aFactorTakesTheDivisionsPlace() {
        for (ImageLayout layout : ImageLayout.values()) {
            for (int channels : new int[] {1, 5, 40}) {
                Pooling.Window w = new Pooling.Window(channels, 2, 7, 1, 1, 2, 7, 1, 1, 1, 1, 0, 0, 0, 0);
                byte[] in = new byte[layout.size(channels, 2, 7)];
                for (int up = -1; up <= 1; up++) {
                    byte[] planes = new byte[channels * 14];
                    for (int i = 0; i < planes.length; i++) {
                        planes[i] = (byte) (i % 14 < 7 ? 4 : 5);
                    }
                    LayoutConversion.convert(channels, 14, ImageLayout.NCHW, planes, 0, layout, in, 0);
                    float factor = 1 / 14f * (1 + up * 0x1p-20f);
                    byte[] out = new byte[layout.size(channels, 1, 1)];
                    Pooling pooling = Pooling.planScaled(Pooling.Kind.AVERAGE, w, layout, factor);
                    pooling.runAboveZero(in, 0, out, 0, true, 1, Rounding.HALF_AWAY, -128, 127, 0, pooling.byteUnits());
                    byte[] means = new byte[channels];
                    LayoutConversion.convert(channels, 1, layout, out, 0, ImageLayout.NCHW, means, 0);
                    for (byte mean : means) {
                        assertEquals(
                                1 + (int) Math.rint(49 * factor), (int) mean, layout + " of " + channels + ", " + up);
                    }
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Pooling.planScaled(
                        Pooling.Kind.MAX,
                        new Pooling.Window(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0),
                        ImageLayout.NCHW,
                        1));
    }
}
