package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ValueType;

/** Against {@link SummedSlices}, which other slices between those of the input ask for. */
class JoinedSlicesTest {
    private static final int[][] EDGES = {{-1, 0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3, -1}};
    private static final int[][] STRIDED = {{-1, 0}, {1, 2}, {3, -1}};
    /** Of a transposed convolution with stride 1: later slices of the kernel meet earlier ones. */
    private static final int[][] FALLING = {{0, -1, -1}, {1, 0, -1}, {2, 1, 0}, {3, 2, 1}, {-1, 3, 2}, {-1, -1, 3}};

    private static final int DEPTH = 4;

    private final Random random = new Random(8);

    @Test
    void equalsTheSumOfSlices() {
        for (int channels : new int[] {1, 3, 16, 32, 33}) {
            for (int[][] taps : new int[][][] {EDGES, STRIDED, FALLING}) {
                check(ConvShape.of(channels, 5, 7, 19, 3, 3).padding(1, 1), taps);
                check(ConvShape.of(channels, 9, 6, 16, 2, 3).stride(2, 1), taps);
                check(ConvShape.of(channels, 1, 1, 4, 1, 1), taps);
                check(ConvShape.of(channels, 3, 4, 7, 2, 2).stride(2, 2).transposed(1, 0), taps);
            }
        }
    }

    private void check(ConvShape shape, int[][] taps) {
        float[] weights = (float[]) Ops.random(random, ValueType.floats(taps[0].length * (int) shape.weightCount()));
        float[] bias = (float[]) Ops.random(random, ValueType.floats(shape.outC()));
        ValueType type = ValueType.floats(2 * DEPTH, shape.inC(), shape.inH(), shape.inW());
        ValueType between = ValueType.floats(4 * DEPTH, shape.inC(), shape.inH(), shape.inW());
        float[] in = (float[]) Ops.random(random, type);
        float[] spread = (float[]) Ops.random(random, between);
        int size = type.count() / (2 * DEPTH);
        for (int i = 0; i < 2 * DEPTH; i++) {
            System.arraycopy(in, i * size, spread, 2 * i * size, size);
        }
        int[][] apart = Arrays.stream(taps)
                .map(row -> Arrays.stream(row).map(t -> t < 0 ? t : 2 * t).toArray())
                .toArray(int[][]::new);
        VolumeConvolutionOp joined =
                new VolumeConvolutionOp(shape, taps, DEPTH, Weights.of(weights), bias, Activation.of(Clamp.RELU));
        VolumeConvolutionOp summed =
                new VolumeConvolutionOp(shape, apart, 2 * DEPTH, Weights.of(weights), bias, Activation.of(Clamp.RELU));
        ValueType result = joined.result(List.of(type));
        float[] addend = (float[]) Ops.random(random, result);
        String what = shape + " " + Arrays.deepToString(taps);
        assertArrayEquals(
                (float[]) Ops.run(summed, List.of(between), spread),
                (float[]) Ops.run(joined, List.of(type), in),
                1e-3f,
                what);
        assertArrayEquals(
                (float[]) Ops.run(summed, List.of(between, result), spread, addend),
                (float[]) Ops.run(joined, List.of(type, result), in, addend),
                1e-3f,
                what);
    }
}
