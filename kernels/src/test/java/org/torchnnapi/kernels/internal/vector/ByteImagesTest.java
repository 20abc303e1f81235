package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

class ByteImagesTest extends VectorTest {
    private static final int WIDTH = 11;
    private static final QuantizedSum SUM = QuantizedSum.fixedPoint(0.1f, 3, 0.2f, 4, false, 0.3f, 5, false, 0, 255);

    @Test
    void addsTheResidualToSomeChannelsOfSomePixels() {
        for (ImageLayout layout : ImageLayout.values()) {
            for (int outC : new int[] {1, V, 2 * V + 5}) {
                for (int first = 0; first < outC; first += V) {
                    for (int pixelStep : new int[] {1, 2}) {
                        check(layout, outC, first, outC - first, pixelStep, SUM);
                        check(layout, outC, first, Math.min(V, outC - first), pixelStep, SUM);
                    }
                }
            }
        }
    }

    @Test
    void withoutASumNothingChanges() {
        check(ImageLayout.NHWC, V, 0, V, 1, null);
    }

    private void check(ImageLayout layout, int outC, int firstChannel, int channels, int pixelStep, QuantizedSum sum) {
        QuantizedConvSpec spec = new QuantizedConvSpec(
                ConvShape.of(1, 2, WIDTH, outC, 1, 1),
                layout,
                layout,
                false,
                0,
                new QuantizedWeights(new byte[outC], true, new int[] {0}),
                new int[outC],
                Requantization.halfEven(new float[] {1}, 0, 0, 255));
        byte[] out = bytes(4 + layout.size(outC, 2, WIDTH));
        byte[] residual = bytes(out.length + 1);
        byte[] expected = out.clone();
        int firstPixel = 3;
        int count = 6;
        if (sum != null) {
            int block = layout.block(outC);
            for (int i = 0; i < count; i++) {
                for (int c = firstChannel; c < firstChannel + channels; c++) {
                    int at = c / block * block * 2 * WIDTH + (firstPixel + i * pixelStep) * block + c % block;
                    expected[4 + at] = (byte) sum.apply(expected[4 + at] & 0xff, residual[5 + at] & 0xff);
                }
            }
        }
        new ByteImages(new ByteInput(spec), null, 0, new ByteOutput(spec), out, 4, residual, 5, sum)
                .finish(firstChannel, channels, firstPixel, pixelStep, count);
        assertArrayEquals(
                expected,
                out,
                () -> layout + ", channels from " + firstChannel + " of " + outC + ", step " + pixelStep);
    }
}
