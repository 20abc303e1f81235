package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Windows whose numbers are at the ends of their ranges: each is refused for what it is, or gives what its definition
 * says, which is summed here from the input's side, in 64 bits.
 */
class ExtremeWindowsTest {
    private static final int[] STEPS = {
        1,
        1,
        1,
        2,
        3,
        4,
        7,
        100,
        1 << 14,
        (1 << 16) + 1,
        1 << 24,
        (1 << 30) - 1,
        1 << 30,
        Integer.MAX_VALUE - 1,
        Integer.MAX_VALUE
    };
    private static final int[] PADDINGS = {
        0,
        0,
        1,
        2,
        5,
        300,
        1 << 16,
        (1 << 16) + 1,
        1 << 24,
        (1 << 29) - 9,
        1 << 29,
        (1 << 30) - 3,
        Integer.MAX_VALUE - 1,
        Integer.MAX_VALUE
    };
    private static final int ROUNDS = Integer.getInteger("torchnnapi.test.rounds", 20_000);
    private static final int MOST_ELEMENTS = 3000;

    @Test
    void strideBeyondTheImageTakesOneWindow() {
        float[] image = {1, 2, 3, 4, 5, 6, 7};
        ConvShape conv = ConvShape.of(1, 1, 7, 1, 1, 3).stride(1, Integer.MAX_VALUE);
        for (ImageLayout layout : ImageLayout.values()) {
            assertArrayEquals(new float[] {1}, run(conv.padding(0, 2), layout, image, new float[] {1, 1, 1}));
            assertArrayEquals(new float[] {0}, run(conv.padding(0, 5), layout, image, new float[] {1, 1, 1}));
            assertArrayEquals(
                    new float[] {8},
                    run(conv.dilation(1, 4).padding(0, 2), layout, new float[] {1, 1, 3, 1, 1, 1, 5}, new float[] {
                        1, 1, 1
                    }),
                    "taps at -2, 2 and 6");
        }
    }

    /** Kernels look at some rows and columns together, of which these windows have one. */
    @Test
    void stepsToRowsThatAWindowHasNotMayBeBeyondPositions() {
        Random random = new Random(32);
        for (int channels : new int[] {1, 8, 64, 70}) {
            for (int step : new int[] {(1 << 30) - 1, 1 << 30, Integer.MAX_VALUE}) {
                agrees(
                        ConvShape.of(channels, 3, 5, channels, 1, 1)
                                .groups(channels)
                                .stride(step, step)
                                .dilation(step, step),
                        ImageLayout.NHWC,
                        random);
                agrees(
                        ConvShape.of(channels, 3, 5, channels, 1, 3)
                                .groups(channels)
                                .stride(1, step)
                                .dilation(step, 1),
                        ImageLayout.NHWC,
                        random);
            }
        }
        for (int stride : new int[] {1 << 27, 1 << 28, 1 << 30, Integer.MAX_VALUE}) {
            for (ImageLayout layout : ImageLayout.values()) {
                agrees(
                        Pooling.Kind.AVERAGE,
                        new Pooling.Window(1, 1, 1, 1, 1, 1, 3, 1, stride, 1, 1, 0, 0, 0, 2),
                        layout,
                        random);
                agrees(
                        Pooling.Kind.AVERAGE,
                        new Pooling.Window(1, 2, 4, 2, 1, 1, 6, 1, stride, 1, 1, 0, 0, 0, 2),
                        layout,
                        random);
            }
        }
    }

    @Test
    void paddingBeyondWhatPositionsHoldIsRefused() {
        ConvShape conv = ConvShape.of(1, 1, 7, 1, 1, 3).stride(1, 65536);
        assertEquals(
                "padded input: 4294967301 (expected: <= 1073741824)",
                assertThrows(IllegalArgumentException.class, () -> conv.padding(0, Integer.MAX_VALUE))
                        .getMessage());
        assertEquals(
                "padded input: 2147483653 (expected: <= 1073741824)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> new Pooling.Window(
                                        1,
                                        1,
                                        7,
                                        1,
                                        7,
                                        1,
                                        Integer.MAX_VALUE,
                                        1,
                                        1,
                                        1,
                                        1,
                                        0,
                                        0,
                                        0,
                                        Integer.MAX_VALUE - 1))
                        .getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> ConvShape.of(1, 1, 1 << 20, 1, 1, 1)
                        .stride(1, 1 << 20)
                        .transposed(0, 0)
                        .outW());
    }

    @Test
    void convolutionsAreRightOrRefused() {
        Random random = new Random(30);
        int ran = 0;
        int wide = 0;
        for (int round = 0; round < ROUNDS; round++) {
            ConvShape shape = shape(random);
            if (shape == null) {
                continue;
            }
            ran++;
            wide += shape.isCompact() ? 0 : 1;
            agrees(shape, ImageLayout.values()[random.nextInt(3)], random);
        }
        assertTrue(
                ran > ROUNDS / 20 && wide > ROUNDS / 100,
                ran + " of " + ROUNDS + " ran, " + wide + " of them far apart");
    }

    private static void agrees(ConvShape shape, ImageLayout layout, Random random) {
        byte[] in = new byte[shape.inC() * shape.inH() * shape.inW()];
        byte[] weights = new byte[(int) shape.weightCount()];
        float[] image = fill(in, random, 4);
        float[] filters = fill(weights, random, 3);
        float[] expected = sums(shape, image, filters);
        assertArrayEquals(expected, run(shape, layout, image, filters), () -> shape + " " + layout);

        QuantizedConv conv = QuantizedConv.plan(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                false,
                0,
                new QuantizedWeights(weights, true, new int[] {0}),
                null,
                Requantization.halfEven(new float[] {1}, 100, 0, 255));
        byte[] out = new byte[expected.length];
        conv.run(converted(in, shape.inC(), ImageLayout.NCHW, ImageLayout.NHWC), 0, out, 0, 0, conv.units());
        byte[] actual = converted(out, shape.outC(), ImageLayout.NHWC, ImageLayout.NCHW);
        for (int i = 0; i < actual.length; i++) {
            assertEquals(Math.min(Math.max(expected[i] + 100, 0), 255), actual[i] & 0xff, () -> "bytes, " + shape);
        }
    }

    @Test
    void poolingsAreRightOrRefused() {
        Random random = new Random(31);
        int ran = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Pooling.Kind kind = Pooling.Kind.values()[random.nextInt(3)];
            Pooling.Window w = window(random, kind);
            if (w == null) {
                continue;
            }
            ran++;
            agrees(kind, w, ImageLayout.values()[random.nextInt(3)], random);
        }
        assertTrue(ran > ROUNDS / 20, ran + " of " + ROUNDS + " ran");
    }

    private static void agrees(Pooling.Kind kind, Pooling.Window w, ImageLayout layout, Random random) {
        byte[] in = new byte[w.channels() * w.inH() * w.inW()];
        float[] image = fill(in, random, 40);
        float[] expected = pooled(kind, w, image);
        float[] laidIn = new float[layout.size(w.channels(), w.inH(), w.inW())];
        float[] laidOut = new float[layout.size(w.channels(), w.outH(), w.outW())];
        LayoutConversion.convert(w.channels(), w.inH() * w.inW(), ImageLayout.NCHW, image, 0, layout, laidIn, 0);
        Pooling pooling = Pooling.plan(kind, w, layout, Clamp.NONE);
        pooling.run(laidIn, 0, laidOut, 0, 0, pooling.units());
        float[] actual = new float[expected.length];
        LayoutConversion.convert(w.channels(), w.outH() * w.outW(), layout, laidOut, 0, ImageLayout.NCHW, actual, 0);
        assertArrayEquals(expected, actual, 1e-5f, () -> kind + " " + w + " " + layout);

        byte[] out = new byte[expected.length];
        Pooling bytes = Pooling.plan(kind, w, ImageLayout.NHWC, Clamp.NONE);
        bytes.run(
                converted(in, w.channels(), ImageLayout.NCHW, ImageLayout.NHWC),
                0,
                out,
                0,
                true,
                0,
                Rounding.HALF_EVEN,
                -128,
                127,
                0,
                bytes.byteUnits());
        byte[] back = converted(out, w.channels(), ImageLayout.NHWC, ImageLayout.NCHW);
        for (int i = 0; i < back.length; i++) {
            assertEquals((int) Math.rint(Math.max(expected[i], -128)), back[i], () -> "bytes, " + kind + " " + w);
        }
    }

    private static int any(Random random, int[] values) {
        return values[random.nextInt(values.length)];
    }

    /** At random; null if it is refused, or its output large. */
    private static ConvShape shape(Random random) {
        int groups = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 1;
        int perGroup = groups > 1 && random.nextBoolean() ? 1 : 1 + random.nextInt(4);
        int outs = groups > 1 && random.nextBoolean() ? 1 : 1 + random.nextInt(20);
        try {
            ConvShape shape = ConvShape.of(
                            groups * perGroup,
                            1 + random.nextInt(7),
                            1 + random.nextInt(9),
                            groups * outs,
                            1 + random.nextInt(4),
                            1 + random.nextInt(4))
                    .stride(any(random, STEPS), any(random, STEPS))
                    .dilation(any(random, STEPS), any(random, STEPS));
            // Often so much padding that dilated taps fit, since few would by chance.
            int down = random.nextBoolean()
                    ? any(random, PADDINGS)
                    : (int) Math.min(Integer.MAX_VALUE, (shape.kernelH() - 1L) * shape.dilationH());
            int across = random.nextBoolean()
                    ? any(random, PADDINGS)
                    : (int) Math.min(Integer.MAX_VALUE, (shape.kernelW() - 1L) * shape.dilationW());
            int right = random.nextBoolean() ? across : any(random, PADDINGS);
            shape = shape.padding(down, random.nextBoolean() ? 0 : down, across, right)
                    .groups(groups);
            if (random.nextInt(3) == 0) {
                shape = shape.transposed(any(random, PADDINGS), any(random, PADDINGS));
            }
            shape.requireOutput();
            return (long) shape.outC() * shape.outH() * shape.outW() > MOST_ELEMENTS ? null : shape;
        } catch (IllegalArgumentException refused) {
            assertTrue(refused.getMessage().contains("(expected: "), refused.getMessage());
            return null;
        }
    }

    private static Pooling.Window window(Random random, Pooling.Kind kind) {
        boolean max = kind == Pooling.Kind.MAX;
        int[] in = {1 + random.nextInt(7), 1 + random.nextInt(40)};
        int[] out = new int[2];
        int[] kernel = new int[2];
        int[] stride = new int[2];
        int[] dilation = new int[2];
        int[] before = new int[2];
        int[] after = new int[2];
        for (int i = 0; i < 2; i++) {
            kernel[i] = any(random, STEPS);
            stride[i] = any(random, STEPS);
            dilation[i] = max ? any(random, STEPS) : 1;
            before[i] = random.nextBoolean() ? any(random, PADDINGS) : kernel[i] / 2;
            after[i] = random.nextBoolean() ? any(random, PADDINGS) : kernel[i] / 2;
            long room = (long) in[i] + before[i] + after[i] - (kernel[i] - 1L) * dilation[i] - 1;
            long windows = room < 0 ? 1 : room / stride[i] + 1;
            // As many as touch the image.
            windows = Math.min(windows, (in[i] - 1L + before[i]) / stride[i] + 1);
            if (windows > 200) {
                return null;
            }
            out[i] = (int) windows;
        }
        int channels = 1 + random.nextInt(40);
        if ((long) channels * out[0] * out[1] > MOST_ELEMENTS) {
            return null;
        }
        try {
            return new Pooling.Window(
                    channels,
                    in[0],
                    in[1],
                    out[0],
                    out[1],
                    kernel[0],
                    kernel[1],
                    stride[0],
                    stride[1],
                    dilation[0],
                    dilation[1],
                    before[0],
                    before[1],
                    after[0],
                    after[1]);
        } catch (IllegalArgumentException refused) {
            assertTrue(refused.getMessage().contains("(expected: "), refused.getMessage());
            return null;
        }
    }

    private static float[] fill(byte[] bytes, Random random, int bound) {
        float[] floats = new float[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextInt(bound);
            floats[i] = bytes[i];
        }
        return floats;
    }

    private static byte[] converted(byte[] image, int channels, ImageLayout from, ImageLayout to) {
        byte[] result = new byte[image.length];
        LayoutConversion.convert(channels, image.length / channels, from, image, 0, to, result, 0);
        return result;
    }

    private static float[] run(ConvShape shape, ImageLayout layout, float[] image, float[] weights) {
        float[] laidIn = new float[layout.size(shape.inC(), shape.inH(), shape.inW())];
        float[] laidOut = new float[layout.size(shape.outC(), shape.outH(), shape.outW())];
        LayoutConversion.convert(shape.inC(), shape.inH() * shape.inW(), ImageLayout.NCHW, image, 0, layout, laidIn, 0);
        FloatConv conv = FloatConv.plan(shape, layout, layout, weights, null, Clamp.NONE);
        conv.run(laidIn, 0, laidOut, 0, 0, conv.units());
        float[] out = new float[shape.outC() * shape.outH() * shape.outW()];
        LayoutConversion.convert(
                shape.outC(), shape.outH() * shape.outW(), layout, laidOut, 0, ImageLayout.NCHW, out, 0);
        return out;
    }

    /** The tap of window {@code index} over a position, or -1. */
    private static long tap(long position, long index, long stride, long dilation, long before, long taps) {
        long offset = position + before - index * stride;
        return offset >= 0 && offset % dilation == 0 && offset / dilation < taps ? offset / dilation : -1;
    }

    private static float[] sums(ConvShape s, float[] in, float[] weights) {
        float[] out = new float[s.outC() * s.outH() * s.outW()];
        int inPerGroup = s.inC() / s.groups();
        int outPerGroup = s.outC() / s.groups();
        for (int i = 0; i < out.length; i++) {
            int channel = i / (s.outH() * s.outW());
            int y = i / s.outW() % s.outH();
            int x = i % s.outW();
            for (int p = 0; p < s.inH() * s.inW(); p++) {
                int row = p / s.inW();
                int col = p % s.inW();
                long ky = s.transposed()
                        ? tap(y, row, s.strideH(), s.dilationH(), s.padTop(), s.kernelH())
                        : tap(row, y, s.strideH(), s.dilationH(), s.padTop(), s.kernelH());
                long kx = s.transposed()
                        ? tap(x, col, s.strideW(), s.dilationW(), s.padLeft(), s.kernelW())
                        : tap(col, x, s.strideW(), s.dilationW(), s.padLeft(), s.kernelW());
                for (int c = 0; c < inPerGroup && ky >= 0 && kx >= 0; c++) {
                    int group = channel / outPerGroup;
                    int filter = s.transposed()
                            ? (group * inPerGroup + c) * outPerGroup + channel % outPerGroup
                            : channel * inPerGroup + c;
                    out[i] += weights[(filter * s.kernelH() + (int) ky) * s.kernelW() + (int) kx]
                            * in[(group * inPerGroup + c) * s.inH() * s.inW() + p];
                }
            }
        }
        return out;
    }

    private static float[] pooled(Pooling.Kind kind, Pooling.Window w, float[] in) {
        float[] out = new float[w.channels() * w.outH() * w.outW()];
        for (int i = 0; i < out.length; i++) {
            int plane = i / (w.outH() * w.outW()) * w.inH() * w.inW();
            long y = i / w.outW() % w.outH();
            long x = i % w.outW();
            double sum = 0;
            double largest = Double.NEGATIVE_INFINITY;
            long count = 0;
            for (int p = 0; p < w.inH() * w.inW(); p++) {
                if (tap(p / w.inW(), y, w.strideH(), w.dilationH(), w.padTop(), w.kernelH()) >= 0
                        && tap(p % w.inW(), x, w.strideW(), w.dilationW(), w.padLeft(), w.kernelW()) >= 0) {
                    sum += in[plane + p];
                    largest = Math.max(largest, in[plane + p]);
                    count++;
                }
            }
            if (kind == Pooling.Kind.AVERAGE_WITH_PADDING) {
                count = padded(y, w.strideH(), w.kernelH(), w.padTop(), w.inH() + (long) w.padBottom())
                        * padded(x, w.strideW(), w.kernelW(), w.padLeft(), w.inW() + (long) w.padRight());
            }
            out[i] = (float) (kind == Pooling.Kind.MAX ? largest : sum / count);
        }
        return out;
    }

    private static long padded(long index, long stride, long kernel, long before, long end) {
        long start = index * stride - before;
        return Math.min(start + kernel, end) - start;
    }
}
