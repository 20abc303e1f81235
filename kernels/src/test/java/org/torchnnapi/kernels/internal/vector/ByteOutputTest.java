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

class ByteOutputTest extends VectorTest {
    private static final int WIDTH = 13;

    @Test
    void writesItsChannelsAndNothingElse() {
        for (int outC : new int[] {1, V / 2, V, V + 5, 2 * V}) {
            for (ImageLayout layout : ImageLayout.values()) {
                for (Requantization rule : rules(outC)) {
                    for (int step : new int[] {1, 3}) {
                        check(outC, layout, rule, step);
                    }
                }
            }
        }
    }

    private void check(int outC, ImageLayout layout, Requantization rule, int pixelStep) {
        ConvShape shape = ConvShape.of(1, 2, WIDTH, outC, 1, 1);
        QuantizedConvSpec spec = new QuantizedConvSpec(
                shape,
                layout,
                layout,
                false,
                0,
                new QuantizedWeights(new byte[outC], true, new int[] {0}),
                new int[outC],
                rule);
        ByteOutput output = new ByteOutput(spec);
        QuantizedSum sum =
                pixelStep == 1 ? QuantizedSum.fixedPoint(0.1f, 3, 0.2f, 4, false, 0.3f, 5, false, 0, 255) : null;
        int count = (2 * WIDTH - 2 + pixelStep - 1) / pixelStep;
        byte[] actual = bytes(4 + layout.size(outC, 2, WIDTH));
        byte[] expected = actual.clone();
        byte[] residual = bytes(actual.length + 1);
        ByteImages images = new ByteImages(new ByteInput(spec), null, 0, output, actual, 4, residual, 5, sum);
        VectorScratch scratch = VectorScratch.get();
        for (int channel = 0; channel < outC; channel += V) {
            float[] sums = sums(count * (V + 2));
            images.narrow(sums, 1, V + 1, channel, 2, pixelStep, count, scratch);
            for (int i = 0; i < count; i++) {
                for (int c = channel; c < Math.min(channel + V, outC); c++) {
                    int at = place(layout, outC, c, 2 + i * pixelStep);
                    expected[4 + at] = (byte) rule.apply((int) sums[1 + i * (V + 1) + c - channel], c);
                    if (sum != null) {
                        expected[4 + at] = (byte) sum.apply(expected[4 + at] & 0xff, residual[5 + at] & 0xff);
                    }
                }
            }
        }
        images.finish(0, outC, 2, pixelStep, count);
        assertArrayEquals(expected, actual, () -> outC + " channels, " + layout + ", step " + pixelStep);
    }

    private static int place(ImageLayout layout, int outC, int channel, int pixel) {
        int block = layout.block(outC);
        return channel / block * block * 2 * WIDTH + pixel * block + channel % block;
    }
}
