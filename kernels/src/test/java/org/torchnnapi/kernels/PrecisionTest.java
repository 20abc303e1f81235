package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Convolutions for which 16-bit floats are enough: computed with such within their error, elsewhere to the bit. */
class PrecisionTest {
    /** That of 64 products in halves, and of their factors. */
    private static final float ERROR = 66 * 0x1p-11f;

    @Test
    void errorsAreThoseOfHalvesOrNone() {
        Random random = new Random(1);
        int i = 0;
        for (ConvShape shape : ConvShapes.all()) {
            ImageLayout in = ImageLayout.values()[i % 3];
            ImageLayout out = ImageLayout.values()[i++ / 3 % 3];
            float[] images = Twins.randomFloats(random, in.size(shape.inC(), shape.inH(), shape.inW()));
            float[] weights = Twins.randomFloats(random, (int) shape.weightCount());
            float[] exact = run(shape, in, out, images, weights, Precision.FLOAT32);
            float[] relaxed = run(shape, in, out, images, weights, Precision.FLOAT16);
            if (!Kernels.computesHalves()) {
                assertArrayEquals(exact, relaxed, shape.toString());
                continue;
            }
            float[] magnitudes = run(shape, in, out, magnitudes(images), magnitudes(weights), Precision.FLOAT32);
            for (int channel = 0; channel < shape.outC(); channel++) {
                for (int pixel = 0; pixel < shape.outH() * shape.outW(); pixel++) {
                    int block = out.block(shape.outC());
                    int at = channel / block * block * shape.outH() * shape.outW() + pixel * block + channel % block;
                    assertEquals(exact[at], relaxed[at], ERROR * magnitudes[at] + 1e-4f, shape.toString());
                }
            }
        }
    }

    private static float[] run(
            ConvShape shape, ImageLayout in, ImageLayout out, float[] images, float[] weights, Precision precision) {
        FloatConv conv = FloatConv.plan(shape, in, out, Weights.of(weights), null, Activation.NONE, precision);
        float[] results = new float[out.size(shape.outC(), shape.outH(), shape.outW())];
        conv.run(images, 0, results, 0, 0, conv.units());
        return results;
    }

    private static float[] magnitudes(float[] values) {
        float[] magnitudes = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            magnitudes[i] = Math.abs(values[i]);
        }
        return magnitudes;
    }
}
