package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ValueType;

class ConvolutionOpTest {
    private static final int BATCH = 2;
    static final ConvShape[] SHAPES = {
        ConvShape.of(3, 4, 7, 5, 1, 1),
        ConvShape.of(17, 5, 3, 33, 1, 1),
        ConvShape.of(3, 9, 8, 19, 3, 3).padding(1, 1).stride(2, 2),
        ConvShape.of(16, 7, 6, 16, 3, 3).padding(1, 1),
        ConvShape.of(18, 7, 5, 18, 3, 3).padding(1, 1).groups(18),
        ConvShape.of(6, 5, 9, 12, 2, 5).padding(0, 1, 2, 0).groups(6),
        ConvShape.of(12, 6, 6, 8, 3, 2).groups(4),
        ConvShape.of(5, 8, 9, 6, 2, 3).dilation(3, 2),
        ConvShape.of(9, 4, 4, 11, 4, 4),
        ConvShape.of(7, 4, 3, 5, 3, 3).padding(1, 1).stride(2, 2).transposed(1, 0),
        ConvShape.of(6, 3, 4, 4, 2, 2).groups(2).transposed(0, 0)
    };
    private static final Activation[] ACTIVATIONS = {
        Activation.NONE, Activation.of(Clamp.RELU6), Activation.HARD_SWISH, Activation.of(UnaryOp.SILU)
    };

    @ParameterizedTest
    @EnumSource(names = {"NCHW", "NHWC"})
    void sumsOfProducts(ImageLayout order) {
        Random random = new Random(3);
        for (int i = 0; i < SHAPES.length; i++) {
            ConvShape shape = SHAPES[i];
            Activation activation = ACTIVATIONS[i % ACTIVATIONS.length];
            Images images = Images.inputs(shape, order, BATCH);
            Images results = Images.outputs(shape, order, BATCH);
            float[] in = (float[]) Ops.random(random, ValueType.floats(images.shape()));
            float[] weights = (float[]) Ops.random(random, ValueType.floats((int) shape.weightCount()));
            float[] bias = i % 2 == 0 ? (float[]) Ops.random(random, ValueType.floats(shape.outC())) : null;
            float[] addend = (float[]) Ops.random(random, ValueType.floats(results.shape()));
            double[] sums = new double[results.count()];
            images.convolve(shape, (out, from, weight, channel) -> sums[out] += (double) in[from] * weights[weight]);
            float[] alone = new float[sums.length];
            float[] added = new float[sums.length];
            for (int k = 0; k < sums.length; k++) {
                float sum = (float) (sums[k] + (bias == null ? 0 : bias[results.channel(k)]));
                alone[k] = activation.apply(sum);
                added[k] = activation.apply(sum + addend[k]);
            }
            ConvolutionOp convolution = new ConvolutionOp(shape, order, Weights.of(weights), bias, activation);
            List<ValueType> types = List.of(ValueType.floats(images.shape()), ValueType.floats(results.shape()));
            Ops.assertNear(alone, (float[]) Ops.run(convolution, types.subList(0, 1), in), shape.toString());
            Ops.assertNear(added, (float[]) Ops.run(convolution, types, in, addend), "with an addend, " + shape);
        }
    }

    @Test
    void checksItsArguments() {
        ConvShape shape = ConvShape.of(3, 4, 7, 5, 1, 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConvolutionOp(shape, ImageLayout.NCHW, new float[14], null, Clamp.NONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConvolutionOp(shape, ImageLayout.NCHW, new float[15], new float[4], Clamp.NONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConvolutionOp(shape, ImageLayout.BLOCKED, new float[15], null, Clamp.NONE));
        ConvolutionOp convolution = new ConvolutionOp(shape, ImageLayout.NCHW, new float[15], null, Clamp.NONE);
        ValueType images = ValueType.floats(1, 3, 4, 7);
        assertThrows(IllegalArgumentException.class, () -> convolution.result(List.of(ValueType.floats(1, 4, 7, 3))));
        assertThrows(IllegalArgumentException.class, () -> convolution.result(List.of(images, images)));
    }
}
