package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ValueType;

class VolumeConvolutionOpTest {
    private static final double TOLERANCE = 1e-4;

    private final Random random = new Random(21);

    private static int[][] taps(int depth, int kernel, int stride, int dilation, int padding) {
        int[][] taps = new int[(depth + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1][kernel];
        for (int o = 0; o < taps.length; o++) {
            for (int k = 0; k < kernel; k++) {
                int at = o * stride - padding + k * dilation;
                taps[o][k] = at >= 0 && at < depth ? at : -1;
            }
        }
        return taps;
    }

    /** Against the definition, for volumes of every depth, channels around blocks, with and without an addend. */
    @Test
    void equalsItsDefinition() {
        for (int channels : new int[] {1, 3, 16, 20}) {
            for (int groups : new int[] {1, channels}) {
                for (int[] geometry : new int[][] {
                    {1, 1, 1, 1, 0},
                    {4, 3, 1, 1, 1},
                    {2, 3, 1, 1, 1},
                    {1, 3, 1, 1, 1},
                    {6, 3, 2, 1, 1},
                    {7, 2, 1, 3, 0},
                    {3, 2, 3, 3, 3}
                }) {
                    check(
                            channels,
                            groups,
                            geometry[0],
                            taps(geometry[0], geometry[1], geometry[2], geometry[3], geometry[4]));
                }
            }
        }
    }

    private void check(int channels, int groups, int depth, int[][] taps) {
        int outC = groups == 1 ? 18 : 2 * channels;
        ConvShape shape = ConvShape.of(channels, 5, 6, outC, 3, 3).padding(1, 1).groups(groups);
        float[] weights = (float[]) Ops.random(random, ValueType.floats(outC, channels / groups, taps[0].length, 3, 3));
        float[] bias = groups == 1 ? (float[]) Ops.random(random, ValueType.floats(outC)) : null;
        VolumeConvolutionOp op =
                new VolumeConvolutionOp(shape, taps, depth, Weights.of(weights), bias, Activation.of(Clamp.RELU));
        ValueType type = ValueType.floats(2 * depth, channels, 5, 6);
        ValueType result = op.result(List.of(type));
        float[] in = (float[]) Ops.random(random, type);
        float[] addend = (float[]) Ops.random(random, result);
        float[] alone = (float[]) Ops.run(op, List.of(type), in);
        float[] added = (float[]) Ops.run(op, List.of(type, result), in, addend);
        for (int i = 0; i < alone.length; i++) {
            int slice = i / (outC * 30);
            int channel = i / 30 % outC;
            double sum = bias == null ? 0 : bias[channel];
            int part = channels / groups;
            for (int k = 0; k < taps[0].length; k++) {
                int tap = taps[slice % taps.length][k];
                for (int c = 0; tap >= 0 && c < part; c++) {
                    int from = (slice / taps.length * depth + tap) * channels + channel / (outC / groups) * part + c;
                    sum += plane(
                            in, from * 30, weights, ((channel * part + c) * taps[0].length + k) * 9, i / 6 % 5, i % 6);
                }
            }
            String what = op.label() + " of " + type + " element " + i;
            assertEquals(Math.max(0, sum), alone[i], TOLERANCE, what);
            assertEquals(Math.max(0, sum + addend[i]), added[i], TOLERANCE, what);
        }
    }

    private static double plane(float[] in, int at, float[] weights, int w, int y, int x) {
        double sum = 0;
        for (int ky = 0; ky < 3; ky++) {
            for (int kx = 0; kx < 3; kx++) {
                int row = y + ky - 1;
                int column = x + kx - 1;
                if (row >= 0 && row < 5 && column >= 0 && column < 6) {
                    sum += in[at + row * 6 + column] * weights[w + ky * 3 + kx];
                }
            }
        }
        return sum;
    }

    @Test
    void checksItsArguments() {
        ConvShape shape = ConvShape.of(1, 2, 2, 1, 1, 1);
        Activation none = Activation.of(Clamp.NONE);
        Weights two = Weights.of(1, 2);
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumeConvolutionOp(shape, new int[][] {{-1, -1}}, 3, two, null, none));
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumeConvolutionOp(shape, new int[][] {{0, 3}}, 3, two, null, none));
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumeConvolutionOp(shape, new int[][] {{0, 1}, {0}}, 3, two, null, none));
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumeConvolutionOp(shape, new int[][] {{0, 1, 2}}, 3, two, null, none));
        VolumeConvolutionOp op = new VolumeConvolutionOp(shape, new int[][] {{0, 1}}, 3, two, null, none);
        assertThrows(IllegalArgumentException.class, () -> op.result(List.of(ValueType.floats(4, 1, 2, 2))));
    }
}
