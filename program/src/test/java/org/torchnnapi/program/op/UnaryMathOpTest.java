package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.ValueType;

class UnaryMathOpTest {
    @ParameterizedTest
    @EnumSource
    void eachElement(UnaryOp op) {
        for (int count : new int[] {1, 17, 16387}) {
            float[] in = positive(new Random(count), count);
            float[] expected = new float[count];
            for (int i = 0; i < count; i++) {
                expected[i] = op.apply(in[i]);
            }
            Ops.assertNear(
                    expected,
                    (float[]) Ops.run(new UnaryMathOp(op), List.of(ValueType.floats(count)), in),
                    op + " of " + count);
        }
    }

    /** What fills up blocks of channels must not spoil the sums of the convolution behind. */
    @ParameterizedTest
    @EnumSource
    void betweenConvolutions(UnaryOp op) {
        int channels = 5;
        ConvShape shape = ConvShape.of(channels, 3, 4, channels, 1, 1);
        float[] identity = new float[channels * channels];
        for (int i = 0; i < channels; i++) {
            identity[i * channels + i] = 1;
        }
        GraphBuilder graph = new GraphBuilder();
        int x = graph.input(ValueType.floats(1, channels, 3, 4), ImageStorage.DECLARED);
        int before = graph.add(new ConvolutionOp(shape, ImageLayout.NCHW, identity, null, Clamp.NONE), x);
        int after = graph.add(
                new ConvolutionOp(shape, ImageLayout.NCHW, identity, null, Clamp.NONE),
                graph.add(new UnaryMathOp(op), before));
        graph.output(after, ImageStorage.DECLARED);
        float[] in = positive(new Random(1), 12 * channels);
        float[] expected = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            expected[i] = op.apply(in[i]);
        }
        Ops.assertNear(expected, (float[]) Ops.run(graph, in), op.toString());
    }

    private static float[] positive(Random random, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() * 3 + 0.01f;
        }
        return values;
    }

    @Test
    void takesFloatsAlone() {
        assertArrayEquals(
                new int[] {2, 3},
                new UnaryMathOp(UnaryOp.ABS)
                        .result(List.of(ValueType.floats(2, 3)))
                        .shape());
        assertThrows(
                IllegalArgumentException.class, () -> new UnaryMathOp(UnaryOp.ABS).result(List.of(ValueType.ints(2))));
    }
}
