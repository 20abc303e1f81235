package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ValueType;

class SummedSlicesTest {
    private static float[] run(ConvShape shape, int[][] taps, float[] weights, float[] bias, float... in) {
        VolumeConvolutionOp op =
                new VolumeConvolutionOp(shape, taps, 4, Weights.of(weights), bias, Activation.of(new Clamp(0, 25)));
        return (float[]) Ops.run(op, List.of(ValueType.floats(4, shape.inC(), 1, 1)), in);
    }

    @Test
    void slicesApart() {
        ConvShape shape = ConvShape.of(1, 1, 1, 1, 1, 1);
        assertArrayEquals(
                new float[] {25, 20, 0},
                run(shape, new int[][] {{0, 2}, {-1, 3}, {1, -1}}, new float[] {3, 4}, new float[] {4}, 3, -4, 7, 4));
    }

    @Test
    void groupsAndASliceThatIsMetTwice() {
        ConvShape shape = ConvShape.of(2, 1, 1, 2, 1, 1).groups(2);
        assertArrayEquals(
                new float[] {5, 1, 6, 10},
                run(shape, new int[][] {{0, 1}, {1, 1}}, new float[] {1, 2, 3, -1}, null, 1, 2, 2, 5, 0, 0, 0, 0));
    }
}
