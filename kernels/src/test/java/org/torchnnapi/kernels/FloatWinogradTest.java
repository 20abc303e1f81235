package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Convolutions of 3x3 taps that providers may do in tiles of 2x2 or 4x4 outputs, at sizes around those of tiles, bands
 * and panels.
 */
class FloatWinogradTest {
    private static final double EPSILON = Math.ulp(1f);
    private static final ImageLayout LAYOUT = ImageLayout.BLOCKED;

    /** A convolution of random values over blocked images. */
    private record Case(
            ConvShape shape, float[] in, float[] weights, float[] bias, float[] residual, Activation activation) {
        static Case of(ConvShape shape, boolean adding, Activation activation, Random random) {
            return new Case(
                    shape,
                    Twins.randomFloats(random, shape.inC() * shape.inH() * shape.inW()),
                    Twins.randomFloats(random, Math.toIntExact(shape.weightCount())),
                    Twins.randomFloats(random, shape.outC()),
                    adding ? Twins.randomFloats(random, shape.outC() * shape.outH() * shape.outW()) : null,
                    activation);
        }

        float[] expected() {
            return Twins.conv(shape, in, weights, bias, residual, activation);
        }

        /** For each output channel the largest sum of absolute products, bias and residual. */
        double[] magnitudes() {
            int pixels = shape.outH() * shape.outW();
            double[] sums = new double[shape.outC() * pixels];
            Twins.convTriples(
                    shape,
                    (out, input, weight, channel) -> sums[out] += Math.abs((double) in[input] * weights[weight]));
            double[] largest = new double[shape.outC()];
            for (int i = 0; i < sums.length; i++) {
                int channel = i / pixels;
                largest[channel] =
                        Math.max(largest[channel], sums[i] + Math.abs(bias[channel]) + (residual == null ? 0 : 1));
            }
            return largest;
        }

        /** @param fill of the lanes past the last channel */
        float[] actual(int threads, float fill) {
            int inPixels = shape.inH() * shape.inW();
            int outPixels = shape.outH() * shape.outW();
            float[] laidIn = laid(in, shape.inC(), inPixels, fill);
            float[] out = residual == null
                    ? new float[LAYOUT.size(shape.outC(), shape.outH(), shape.outW())]
                    : laid(residual, shape.outC(), outPixels, fill);
            FloatConv conv = FloatConv.plan(shape, LAYOUT, LAYOUT, weights, bias, activation);
            try (KernelPool pool = new KernelPool(threads)) {
                pool.run(conv.units(), conv.adjoining(), (begin, end) -> {
                    if (residual == null) {
                        conv.run(laidIn, 0, out, 0, begin, end);
                    } else {
                        conv.runAdding(laidIn, 0, out, 0, out, 0, begin, end);
                    }
                });
            }
            float[] plain = new float[shape.outC() * outPixels];
            LayoutConversion.convert(shape.outC(), outPixels, LAYOUT, out, 0, ImageLayout.NCHW, plain, 0);
            return plain;
        }

        private static float[] laid(float[] image, int channels, int pixels, float fill) {
            float[] laid = new float[LAYOUT.size(channels, 1, pixels)];
            int block = LAYOUT.block(channels);
            for (int i = 0; i < laid.length; i++) {
                int channel = i / (pixels * block) * block + i % block;
                laid[i] = channel < channels ? image[channel * pixels + i / block % pixels] : fill;
            }
            return laid;
        }
    }

    /**
     * The bound: n rounded products add up to a sum with an error of at most n * epsilon / 2 times the sum of their
     * absolute values (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). That of tiles may be
     * larger by the growth of their transforms, but grows like the square root of the channels where signs are random;
     * measured it is under 3 epsilon, where the bound for the 144 products of 16 channels would be 72.
     */
    @ParameterizedTest
    @CsvSource({
        "16, 16, 1, 1, 1, 1, 1, 1",
        "64, 64, 3, 3, 1, 1, 1, 1",
        "64, 48, 4, 5, 1, 1, 1, 1",
        "64, 64, 7, 7, 1, 1, 1, 1",
        "33, 70, 9, 6, 0, 0, 0, 0",
        "48, 17, 13, 13, 1, 1, 1, 1",
        "32, 32, 17, 23, 2, 2, 2, 2",
        "65, 40, 8, 31, 0, 1, 2, 1",
        "40, 100, 12, 12, 2, 0, 0, 2",
        "96, 96, 30, 5, 1, 1, 1, 1",
        "16, 33, 6, 250, 1, 1, 1, 1",
        "300, 64, 10, 9, 1, 1, 1, 1",
        "64, 64, 5, 5, 4, 5, 6, 4",
        "20, 20, 61, 1, 1, 1, 1, 1"
    })
    void equalsItsTwin(int inC, int outC, int h, int w, int top, int bottom, int left, int right) {
        Random random = new Random(inC + h);
        Activation[] activations = {
            Activation.NONE,
            Activation.of(new Clamp(-1.5f, 2.5f)),
            Activation.HARD_SWISH,
            new Activation(UnaryOp.TANH, new Clamp(-0.5f, 0.75f))
        };
        for (int i = 0; i < activations.length; i++) {
            ConvShape shape = ConvShape.of(inC, h, w, outC, 3, 3).padding(top, bottom, left, right);
            Case test = Case.of(shape, i > 0, activations[i], random);
            float[] expected = test.expected();
            float[] actual = test.actual(1, i == 0 ? 0 : 1e20f);
            double[] magnitudes = test.magnitudes();
            int pixels = shape.outH() * shape.outW();
            for (int at = 0; at < expected.length; at++) {
                double bound = 4 * EPSILON * magnitudes[at / pixels];
                assertEquals(expected[at], actual[at], bound, shape + " output " + at);
            }
        }
    }

    /** The root mean square of errors is at most three times that of a plain float sum over the same products. */
    @ParameterizedTest
    @CsvSource({"64, 56", "128, 28", "256, 14", "16, 55"})
    void isNearlyAsExactAsPlainSums(int channels, int size) {
        ConvShape shape = ConvShape.of(channels, size, 8, 32, 3, 3).padding(1, 1);
        Case test = Case.of(shape, false, Activation.NONE, new Random(channels));
        float[] expected = test.expected();
        float[] actual = test.actual(1, 0);
        float[] plain = new float[expected.length];
        Twins.convTriples(
                shape,
                (out, input, weight, channel) ->
                        plain[out] = Math.fma(test.in[input], test.weights[weight], plain[out]));
        double squares = 0;
        double plainSquares = 0;
        for (int i = 0; i < expected.length; i++) {
            squares += Math.pow((double) actual[i] - expected[i], 2);
            plainSquares += Math.pow((double) plain[i] + test.bias[i / (size * 8)] - expected[i], 2);
        }
        assertTrue(
                Math.sqrt(squares) <= 3 * Math.sqrt(plainSquares), () -> shape + " errors beyond those of plain sums");
    }

    @Test
    void threadsGiveTheSameBits() {
        Random random = new Random(5);
        for (ConvShape shape : new ConvShape[] {
            ConvShape.of(64, 29, 31, 96, 3, 3).padding(1, 1),
            ConvShape.of(256, 14, 14, 256, 3, 3).padding(1, 1)
        }) {
            Case test = Case.of(shape, true, Activation.of(Clamp.RELU), random);
            assertArrayEquals(test.actual(1, 0), test.actual(3, 0));
        }
    }

    /** Every unit by itself does the same as all together, and no unit writes what is another's. */
    @Test
    void unitsAreIndependent() {
        ConvShape shape = ConvShape.of(32, 40, 33, 80, 3, 3).padding(1, 1);
        Case test = Case.of(shape, false, Activation.NONE, new Random(6));
        FloatConv conv = FloatConv.plan(shape, LAYOUT, LAYOUT, test.weights, test.bias, Activation.NONE);
        float[] in = Case.laid(test.in, 32, 40 * 33, 0);
        int size = LAYOUT.size(80, 40, 33);
        float[] whole = new float[size];
        conv.run(in, 0, whole, 0, 0, conv.units());
        float[] parts = new float[size];
        float[] before = parts.clone();
        for (int unit = conv.units() - 1; unit >= 0; unit--) {
            conv.run(in, 0, parts, 0, unit, unit + 1);
            for (int i = 0; i < size; i++) {
                if (parts[i] != before[i]) {
                    assertEquals(0, before[i]);
                    before[i] = parts[i];
                }
            }
        }
        assertArrayEquals(whole, parts);
    }
}
