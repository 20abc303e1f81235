package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.kernels.internal.FloatConvSpec;

class DepthwiseRowTest extends VectorTest {
    /** Kernel height and width, stride, dilation down and across. */
    private static final int[][] WINDOWS = {
        {3, 3, 1, 1, 1},
        {3, 3, 2, 1, 1},
        {3, 3, 1, 2, 1},
        {3, 3, 2, 1, 2},
        {5, 5, 1, 1, 1},
        {5, 5, 2, 1, 1},
        {1, 4, 1, 1, 3},
        {2, 1, 2, 3, 1}
    };

    @Test
    void equalsTheSumsWrittenDown() {
        for (int[] window : WINDOWS) {
            for (int inW : new int[] {10, 14, 15, 29}) {
                for (Activation activation : new Activation[] {Activation.NONE, Activation.of(new Clamp(0, 400))}) {
                    check(window, inW, activation);
                }
            }
        }
    }

    /** Small whole numbers, of which every sum is exact whatever its order. */
    private void check(int[] window, int inW, Activation activation) {
        int channels = V + 3;
        int rows = (window[0] - 1) * window[3] + 1;
        ConvShape shape = ConvShape.of(channels, rows, inW, channels, window[0], window[1])
                .stride(1, window[2])
                .dilation(window[3], window[4])
                .groups(channels);
        int taps = window[0] * window[1];
        FloatConvSpec spec = new FloatConvSpec(
                shape,
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                Weights.of(integers(channels * taps, 9)),
                new float[channels],
                activation);
        int columns = DepthwiseRow.stagedCols(shape);
        float[] in = integers(2 + rows * columns * V, 20);
        float[] bias = integers(2 * V, 50);
        float[] packed = DepthwiseRow.packWeights(spec);
        int[] tapPlaces = DepthwiseRow.taps(
                shape, IntStream.range(0, rows).map(r -> r * columns * V).toArray());
        DepthwiseRow row = new DepthwiseRow(shape, activation);
        for (int block = 0; block < 2; block++) {
            float[] out = new float[3 + Math.max(shape.outW(), DepthwiseTile1.PIXELS) * V];
            row.run(in, 2, tapPlaces, packed, block * taps * V, bias, block * V, out, 3);
            for (int x = 0; x < shape.outW(); x++) {
                for (int c = 0; c < Math.min(V, channels - block * V); c++) {
                    float sum = bias[block * V + c];
                    for (int t = 0; t < taps; t++) {
                        int y = t / window[1] * window[3];
                        int column = x * window[2] + t % window[1] * window[4];
                        sum += spec.weight(block * V + c, 0, t) * in[2 + (y * columns + column) * V + c];
                    }
                    assertEquals(activation.apply(sum), out[3 + x * V + c], shape + ", pixel " + x);
                }
            }
        }
    }

    private float[] integers(int count, int bound) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(-bound, bound + 1);
        }
        return values;
    }
}
