package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Convolutions of doubles and complex numbers, beside sums that are written out. */
class ConvolutionPrecisionTest {
    /** Every stride, padding, dilation and grouping, with few and many channels, against sums over all taps. */
    @Test
    void doublesAreSummedOverAllTaps() {
        Random random = new Random(11);
        for (int round = 0; round < 100; round++) {
            int batch = 1 + random.nextInt(2);
            int groups = 1 + random.nextInt(2);
            int inputs = 1 + random.nextInt(4);
            int filters = round % 10 == 0 ? 70 : 1 + random.nextInt(4);
            int height = 1 + random.nextInt(7);
            int width = round % 7 == 0 ? 300 : 1 + random.nextInt(7);
            int kernel = 1 + random.nextInt(3);
            int stride = 1 + random.nextInt(3);
            int padding = random.nextInt(4);
            int dilation = 1 + random.nextInt(3);
            int outH = (height + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
            int outW = (width + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
            if (height + 2 * padding < dilation * (kernel - 1) + 1
                    || width + 2 * padding < dilation * (kernel - 1) + 1) {
                continue;
            }
            double[] x = random.doubles((long) batch * groups * inputs * height * width)
                    .toArray();
            double[] w = random.doubles((long) groups * filters * inputs * kernel * kernel)
                    .toArray();
            double[] bias = random.doubles((long) groups * filters).toArray();
            double[] expected = new double[batch * groups * filters * outH * outW];
            for (int i = 0; i < expected.length; i++) {
                int filter = i / (outH * outW) % bias.length;
                int image = i / (outH * outW) / bias.length;
                expected[i] = bias[filter];
                for (int c = 0; c < inputs; c++) {
                    int plane = (image * groups + filter / filters) * inputs + c;
                    for (int tap = 0; tap < kernel * kernel; tap++) {
                        int row = i / outW % outH * stride - padding + tap / kernel * dilation;
                        int column = i % outW * stride - padding + tap % kernel * dilation;
                        if (row >= 0 && row < height && column >= 0 && column < width) {
                            expected[i] += w[(filter * inputs + c) * kernel * kernel + tap]
                                    * x[(plane * height + row) * width + column];
                        }
                    }
                }
            }
            Tensor actual = Op.tensor(
                    "conv2d",
                    Tensor.of(DType.FLOAT64, x, batch, groups * inputs, height, width),
                    Tensor.of(DType.FLOAT64, w, groups * filters, inputs, kernel, kernel),
                    Tensor.of(DType.FLOAT64, bias, bias.length),
                    Op.ints(stride, stride),
                    Op.ints(padding, padding),
                    Op.ints(dilation, dilation),
                    (long) groups);
            Op.expect(actual, DType.FLOAT64, new int[] {batch, groups * filters, outH, outW}, expected);
        }
    }

    /** A transposed convolution is the adjoint of an ordinary one: their inner products are the same. */
    @Test
    void doublesScatterAsTheyAreGathered() {
        Random random = new Random(13);
        for (int round = 0; round < 40; round++) {
            int kernel = 1 + random.nextInt(3);
            int stride = 1 + random.nextInt(3);
            int padding = random.nextInt(kernel);
            int small = 1 + random.nextInt(5);
            int large = (small - 1) * stride - 2 * padding + kernel;
            if (large < 1) {
                continue;
            }
            Tensor w = Tensor.of(
                    DType.FLOAT64, random.doubles(3L * 2 * kernel * kernel).toArray(), 3, 2, kernel, kernel);
            Tensor a =
                    Tensor.of(DType.FLOAT64, random.doubles(2L * large * large).toArray(), 1, 2, large, large);
            Tensor b =
                    Tensor.of(DType.FLOAT64, random.doubles(3L * small * small).toArray(), 1, 3, small, small);
            Tensor gathered = Op.tensor("conv2d", a, w, null, Op.ints(stride, stride), Op.ints(padding, padding));
            Tensor scattered =
                    Op.tensor("conv_transpose2d.input", b, w, null, Op.ints(stride, stride), Op.ints(padding, padding));
            assertEquals(product(gathered, b), product(a, scattered), 1e-9);
        }
    }

    private static double product(Tensor a, Tensor b) {
        double sum = 0;
        for (int i = 0; i < a.numel(); i++) {
            sum += a.getDouble(i) * b.getDouble(i);
        }
        return sum;
    }

    @Test
    void complexNumbers() {
        Tensor x = Op.tensor("complex", Op.floats(Op.sizes(1, 1, 3), 1, 2, 3), Op.floats(Op.sizes(1, 1, 3), 0, 1, -1));
        Tensor w = Op.tensor("complex", Op.floats(Op.sizes(1, 1, 2), 1, -1), Op.floats(Op.sizes(1, 1, 2), 2, 0.5));
        Tensor out = Op.tensor("conv1d", x, w, null, Op.ints(1), Op.ints(0), Op.ints(1), 1L);
        Op.expect(Op.tensor("view_as_real", out), Op.sizes(1, 1, 2, 2), -1.5, 2, -2.5, 7.5);
    }
}
