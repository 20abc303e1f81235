package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class QuantizedConvolutionOpTest {
    private static final int BATCH = 2;

    /** Weights of a tensor or of each channel, whose distance from their zero points is within a byte. */
    static QuantizedWeights weights(Random random, int count, int channels) {
        byte[] values = new byte[count];
        for (int i = 0; i < count; i++) {
            values[i] = (byte) (random.nextInt(200) - 100);
        }
        return new QuantizedWeights(values, true, random.ints(channels, -20, 20).toArray());
    }

    static float[] scales(Random random, int channels) {
        float[] scales = new float[channels];
        for (int i = 0; i < channels; i++) {
            scales[i] = 0.001f + random.nextFloat() * 0.01f;
        }
        return scales;
    }

    /** The byte that a 32-bit sum becomes by qnnpack's rule. */
    static byte byteOf(int sum, float scale, ByteQuantization output) {
        double steps = Math.rint((double) (sum * scale)) + output.zeroPoint();
        return (byte) Math.min(
                Math.max(steps, output.element().min()), output.element().max());
    }

    static int stored(ByteQuantization quantization, byte value) {
        return quantization.element().isSigned() ? value : value & 0xff;
    }

    @ParameterizedTest
    @EnumSource(names = {"NCHW", "NHWC"})
    void sumsOfProducts(ImageLayout order) {
        Random random = new Random(8);
        for (ConvShape shape : ConvolutionOpTest.SHAPES) {
            for (ByteQuantization output : ByteOps.QUANTIZATIONS) {
                check(random, shape, order, output, random.nextBoolean() ? 1 : shape.outC());
            }
        }
    }

    private static void check(
            Random random, ConvShape shape, ImageLayout order, ByteQuantization output, int scaleCount) {
        ByteQuantization input =
                new ByteQuantization(output.element(), 0.1f, output.element().min() + 99);
        Images images = Images.inputs(shape, order, BATCH);
        Images results = Images.outputs(shape, order, BATCH);
        byte[] in = ByteOps.random(random, ValueType.bytes(input, images.shape()));
        byte[] addend = ByteOps.random(random, ValueType.bytes(output, results.shape()));
        QuantizedWeights weights = weights(random, (int) shape.weightCount(), scaleCount);
        int[] bias = random.ints(shape.outC(), -3000, 3000).toArray();
        float[] scales = scales(random, scaleCount);

        int[] sums = new int[results.count()];
        images.convolve(
                shape,
                (out, from, weight, channel) ->
                        sums[out] += (stored(input, in[from]) - input.zeroPoint()) * weights.centred(weight, channel));
        QuantizedSum sum = QuantizedSum.halfEven(
                output.scale(),
                output.zeroPoint(),
                output.scale(),
                output.zeroPoint(),
                false,
                output.scale(),
                output.zeroPoint(),
                output.element().isSigned(),
                output.element().min(),
                output.element().max());
        byte[] alone = new byte[sums.length];
        byte[] added = new byte[sums.length];
        for (int i = 0; i < sums.length; i++) {
            int channel = results.channel(i);
            alone[i] = byteOf(sums[i] + bias[channel], scales[scaleCount == 1 ? 0 : channel], output);
            int total = stored(output, alone[i]) + stored(output, addend[i]) - output.zeroPoint();
            added[i] = (byte) Math.min(
                    Math.max(total, output.element().min()), output.element().max());
        }
        Requantization requantization = Requantization.halfEven(
                scales,
                output.zeroPoint(),
                output.element().min(),
                output.element().max());
        List<ValueType> types =
                List.of(ValueType.bytes(input, images.shape()), ValueType.bytes(output, results.shape()));
        assertArrayEquals(
                alone,
                (byte[]) Ops.run(
                        new QuantizedConvolutionOp(shape, order, weights, bias, requantization, output),
                        types.subList(0, 1),
                        in),
                shape.toString());
        assertArrayEquals(
                added,
                (byte[]) Ops.run(
                        new QuantizedConvolutionOp(shape, order, weights, bias, requantization, output, sum),
                        types,
                        in,
                        addend),
                "with a sum, " + shape);
    }

    @Test
    void checksItsArguments() {
        ByteQuantization output = ByteOps.QUANTIZATIONS[0];
        ConvShape shape = ConvShape.of(3, 4, 7, 5, 1, 1);
        QuantizedWeights weights = weights(new Random(1), 15, 1);
        Requantization requantization = Requantization.halfEven(new float[] {1}, 0, 0, 255);
        assertThrows(
                IllegalArgumentException.class,
                () -> new QuantizedConvolutionOp(shape, ImageLayout.NCHW, weights, new int[4], requantization, output));
        QuantizedConvolutionOp convolution =
                new QuantizedConvolutionOp(shape, ImageLayout.NCHW, weights, null, requantization, output);
        assertThrows(
                IllegalArgumentException.class, () -> convolution.result(List.of(ValueType.bytes(output, 1, 4, 7, 3))));
        assertThrows(IllegalArgumentException.class, () -> convolution.result(List.of(ValueType.floats(1, 3, 4, 7))));
    }
}
